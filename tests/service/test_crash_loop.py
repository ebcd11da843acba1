from service.crash_loop import CrashLoop


def test_five_deaths_within_a_minute_are_a_loop_that_is_told_once():
    loop = CrashLoop()
    assert [False, False, False, False, True, False] == [loop.died(float(second)) for second in range(6)]
    assert loop.looping(6.0)


def test_rare_deaths_are_none():
    loop = CrashLoop()
    assert not any(loop.died(16.0 * number) for number in range(100))


def test_a_loop_ends_when_the_deaths_stop_and_may_begin_again():
    loop = CrashLoop()
    for second in range(5):
        loop.died(float(second))
    assert loop.looping(60.0)
    assert not loop.looping(61.0)
    assert [False, False, False, False, True] == [loop.died(100.0 + second) for second in range(5)]
