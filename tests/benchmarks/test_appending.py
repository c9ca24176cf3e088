"""The appender writes the events that are asked for, where they are asked for, and tells when."""

from subprocess import CalledProcessError

import pytest

from benchmarks.appending import began, generated, start_appending
from benchmarks.generator import OLDEST_COORDINATOR
from eventlog.postgres.log import PostgresEventLog
from eventlog.streams import identify

pytestmark = pytest.mark.slow


@pytest.fixture
def log(database_url: str) -> PostgresEventLog:
    return PostgresEventLog.create(database_url, identify(OLDEST_COORDINATOR))


def test_generated_events_go_on_where_they_ended() -> None:
    assert generated(0, 5)[3:] == generated(3, 2)


def test_a_process_appends_and_reports_when(database_url: str, log: PostgresEventLog) -> None:
    with log:
        times = began(start_appending(database_url, OLDEST_COORDINATOR, 0, 20, 1_000))
        kept = [(event.key, event.value) for event in log.read()]
    assert kept == [(event.key, event.value) for event in generated(0, 21)]
    assert times == sorted(times)
    assert len(times) == 20
    assert times[-1] - times[0] >= 19_000_000


def test_a_stream_that_ends_elsewhere_gives_no_figures(database_url: str, log: PostgresEventLog) -> None:
    with log, pytest.raises(CalledProcessError):
        began(start_appending(database_url, OLDEST_COORDINATOR, 7, 1, 1_000))
