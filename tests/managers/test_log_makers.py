"""The logs that the managers' tests are run on."""

from eventlog.events import NewEvent
from tests.managers.log_makers import LogMaker


def test_logs_are_of_the_tests_own_and_open_to_others(logs: LogMaker) -> None:
    log, other = logs.create(), logs.create("checkpoint", job_name="orders")
    assert log.append([NewEvent(b"k", b"v", 1)]) == range(1)
    assert [event.key for event in logs.open_again(log).read()] == [b"k"]
    assert (log.stream_kind, other.stream_kind, other.end_offset()) == ("coordinator", "checkpoint", 0)
    assert other.stream_name.endswith("orders_1")
