"""A log that was given, or is opened when it is needed, or again when its session has ended."""

from functools import partial

import pytest

from eventlog.log import Clock, EventLog
from eventlog.postgres.log import PostgresEventLog
from eventlog.source import SourceUnavailable
from managers.wrapped_logs import LazyLog, ReopenedLog
from tests.contracts.event_log import STREAM, ConditionalAppendContract
from tests.managers.recording_log import RecordingLog


def test_a_passed_log_is_not_closed() -> None:
    log = RecordingLog()
    held = LazyLog(log)
    assert held.open() is log
    held.close()
    assert log.calls == []


def test_an_opened_log_is_closed_once_and_opened_again() -> None:
    opened: list[RecordingLog] = []

    def open_log() -> RecordingLog:
        opened.append(RecordingLog())
        return opened[-1]

    held = LazyLog(open_log)
    held.close()
    assert held.open() is held.open()
    held.close()
    held.close()
    assert [log.calls for log in opened] == [["close"]]
    assert held.open() is opened[1]


def test_a_log_is_opened_again_after_a_failed_operation() -> None:
    opened: list[RecordingLog] = []

    def open_log() -> RecordingLog:
        opened.append(RecordingLog())
        return opened[-1]

    held = LazyLog(open_log)
    with pytest.raises(SourceUnavailable), held.use():
        raise SourceUnavailable
    assert [log.calls for log in opened] == [["close"]]
    for _ in range(2):
        with held.use() as log:
            assert log is opened[1]


class TestReopenedLog(ConditionalAppendContract):
    @pytest.fixture(autouse=True)
    def _database(self, database_url: str) -> None:
        self.url = database_url

    def make_log(self, clock: Clock) -> EventLog:
        PostgresEventLog.create(self.url, STREAM).close()
        return ReopenedLog(partial(PostgresEventLog, self.url, STREAM.stream_name, clock=clock))

    def open_again(self, log: EventLog) -> EventLog:
        return PostgresEventLog(self.url, log.stream_name)
