"""The job of recording A, an hour after it was stopped, for tests that change its starting offsets."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

import pytest

from coordstream.cli import event_logs, input_system, startpoint
from eventlog.partition import SystemStreamPartition
from eventlog.postgres.log import PostgresEventLog
from eventlog.startpoint import Startpoint
from managers.startpoints.next_starts import StartpointFacts
from tests.coordstream.command_line import COORDINATOR, CommandLine

JOB: Final = "wordcount_pv/1"
LAST_COMMIT: Final = datetime(2026, 11, 21, 9, 18, 13, tzinfo=UTC)
NOW: Final = LAST_COMMIT + timedelta(hours=1)
NOW_MS: Final = int(NOW.timestamp() * 1000)
TWO_HOURS_AGO_MS: Final = NOW_MS - 2 * 60 * 60 * 1000
END: Final = 427
"""The end offset of the recorded coordinator stream."""


def set_clock(monkeypatch: pytest.MonkeyPatch, time: datetime) -> None:
    """Set the clock of the commands that change starting offsets, and that of logs in Postgres."""
    monkeypatch.setattr(startpoint, "system_clock", lambda: time)
    monkeypatch.setattr(event_logs, "PostgresEventLog", partial(PostgresEventLog, clock=lambda: time))


def unreachable_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make all brokers of inputs unreachable, whatever listens at their addresses."""
    monkeypatch.setattr(input_system, "_answers", lambda _: False)


def facts(cli: CommandLine, stream: str = COORDINATOR) -> StartpointFacts:
    """The facts on the job's coordinator stream now."""
    with PostgresEventLog(cli.database_url, stream) as log:
        return StartpointFacts.read(log)


def requests(cli: CommandLine) -> Mapping[str, Startpoint]:
    """The requests now, by key."""
    return facts(cli).requests


def end(cli: CommandLine, stream: str = COORDINATOR) -> int:
    """The end offset of a stream."""
    with PostgresEventLog(cli.database_url, stream) as log:
        return log.end_offset()


def page_views(partition: int) -> SystemStreamPartition:
    """A partition of the job's input."""
    return SystemStreamPartition("kafka", "page-views", partition)
