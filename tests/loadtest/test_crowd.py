from loadtest.crowd import FanOut


def test_percentiles():
    fan_out = FanOut()
    fan_out.add([0.001, 0.002])
    fan_out.add([0.004, 0.003])
    assert [1, 3, 4, 4] == [fan_out.percentile_ms(share) for share in (0, 0.5, 0.99, 1)]
    assert [0.002, 0.004] == fan_out.slowest_s
