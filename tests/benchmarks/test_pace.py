"""Events go out when they are due by the clock, and what is late goes out together."""

from collections.abc import Sequence

from benchmarks.pace import SECOND_NS, write_paced


class Clock:
    """Time that passes only while somebody sleeps or writes."""

    def __init__(self, writing_seconds: float = 0.0) -> None:
        self.now = 5 * SECOND_NS
        self.written: list[list[str]] = []
        self._writing_seconds = writing_seconds

    def read(self) -> int:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += round(seconds * SECOND_NS)

    def write(self, events: Sequence[str]) -> None:
        self.written.append(list(events))
        self.sleep(self._writing_seconds)


def test_each_event_goes_out_when_it_is_due() -> None:
    clock = Clock()
    began = write_paced(list("abc"), 100, clock.write, clock.read, clock.sleep)
    assert clock.written == [["a"], ["b"], ["c"]]
    assert [at - 5 * SECOND_NS for at in began] == [0, 10_000_000, 20_000_000]


def test_a_slow_write_delays_nothing_after_it() -> None:
    clock = Clock(writing_seconds=0.025)
    began = write_paced(list("abcdef"), 100, clock.write, clock.read, clock.sleep)
    assert clock.written == [["a"], ["b", "c"], ["d", "e", "f"]]
    assert [at - 5 * SECOND_NS for at in began] == [0, 25_000_000, 25_000_000, 50_000_000, 50_000_000, 50_000_000]
