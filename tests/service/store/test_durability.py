import pytest

from service.store.durability import Durability


@pytest.mark.parametrize("text", ["memory", "aof", "always", "replicas:1", "replicas:12"])
def test_settings_are_read_and_written(text):
    assert text == str(Durability.parse(text))


def test_the_count_of_replicas():
    assert Durability("replicas", 3) == Durability.parse("replicas:3")
    assert 0 == Durability.parse("always").replicas


@pytest.mark.parametrize(
    "text",
    [
        *("", "AOF", "aof ", "disk", "memory:1", "replicas", "replicas:"),
        *("replicas:0", "replicas:-1", "replicas:x", "replicas:1.5", "replicas:²", "replicas:1:2"),
    ],
)
def test_other_settings_are_refused(text):
    with pytest.raises(ValueError, match=r"memory, aof, always or replicas:N") as caught:
        Durability.parse(text)
    assert repr(text) in str(caught.value)
