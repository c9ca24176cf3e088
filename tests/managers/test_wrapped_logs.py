"""A log that was given, or is opened when it is needed, or again when its session has ended."""

from functools import partial

import pytest

from eventlog.log import Clock, EventLog
from eventlog.postgres.log import PostgresEventLog
from managers.wrapped_logs import DelegatingLog
from tests.contracts.event_log import STREAM, ConditionalAppendContract


class TestDelegatingLog(ConditionalAppendContract):
    @pytest.fixture(autouse=True)
    def _database(self, database_url: str) -> None:
        self.url = database_url

    def make_log(self, clock: Clock) -> EventLog:
        PostgresEventLog.create(self.url, STREAM).close()
        return DelegatingLog(partial(PostgresEventLog, self.url, STREAM.stream_name, clock=clock))

    def open_again(self, log: EventLog) -> EventLog:
        return PostgresEventLog(self.url, log.stream_name)
