"""The event log in memory."""

from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import datetime

from eventlog.events import NewEvent
from eventlog.log import Clock, EventLog, MemoryEventLog
from tests.contracts.event_log import NOW, STREAM, ConditionalAppendContract
from tests.fixtures.waiting import PATIENCE


class TestMemoryEventLog(ConditionalAppendContract):
    def make_log(self, clock: Clock) -> EventLog:
        return MemoryEventLog(STREAM, clock=clock)

    def open_again(self, log: EventLog) -> EventLog:
        return log


def test_a_second_writer_waits_until_the_first_is_done() -> None:
    second: list[Future[range]] = []

    def clock_that_lets_another_write() -> datetime:
        if not second:
            second.append(pool.submit(log.append, [NewEvent(b"second", b"")]))
            assert not wait(second, timeout=0.1).done
        return NOW

    log = MemoryEventLog(STREAM, clock=clock_that_lets_another_write)
    with ThreadPoolExecutor(1) as pool:
        assert log.append([NewEvent(b"first", b"")]) == range(1)
        assert second[0].result(timeout=PATIENCE) == range(1, 2)
    assert [event.key for event in log.read()] == [b"first", b"second"]
