"""What is known about a job whose starting offsets are to change."""

from datetime import UTC, datetime

import pytest

from coordstream.cli.event_logs import JobLogs
from coordstream.cli.startpoint_job import StartpointJob, open_startpoint_job
from coordstream.errors import CoordstreamError
from eventlog.log import MemoryEventLog
from eventlog.postgres.log import PostgresEventLog
from eventlog.streams import identify
from managers.job_facts import JobFacts
from managers.startpoints.next_starts import StartpointFacts
from projections.job_choice import Job
from tests.builders import checkpoint_v1, config_set
from tests.coordstream.command_line import CommandLine

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
NOON_MS = 1_769_860_800_000
HOUR_MS = 3_600_000
COUNTS = "__samza_coordinator_counts_1"


def job(record_ms: int | None = None, commit_ms: int | None = None) -> StartpointJob:
    facts = StartpointFacts(JobFacts({}, frozenset()), {}, {}, {}, record_ms)
    log = MemoryEventLog(identify(COUNTS))
    logs = JobLogs(Job("counts", "1"), log, None)
    return StartpointJob(logs.job, logs, log, facts, {}, commit_ms)


@pytest.mark.parametrize(
    ("known", "behind"),
    [
        (job(), ""),
        (job(NOON_MS + HOUR_MS), ""),
        (job(NOON_MS + HOUR_MS + 1), "1.0 hours"),
        (job(NOON_MS, NOON_MS + 36 * HOUR_MS), "36.0 hours"),
    ],
)
def test_the_clock_is_compared_with_the_newest_record(known: StartpointJob, behind: str) -> None:
    sentence = known.clock_behind(NOON)
    assert (behind in sentence, bool(sentence)) == (True, bool(behind))


def test_an_unknown_checkpoint_factory_is_an_error(cli: CommandLine) -> None:
    cli.done("log", "create", COUNTS)
    with PostgresEventLog(cli.database_url, COUNTS) as log:
        log.append([config_set("task.checkpoint.factory", "my.Factory")])
    with open_startpoint_job("counts") as found:
        assert found.checkpoints == {}
        assert found.checkpoint_error.startswith("task.checkpoint.factory is my.Factory")


def test_a_job_without_a_coordinator_stream_has_no_startpoints(cli: CommandLine) -> None:
    stream = "__samza_checkpoint_ver_1_for_counts_1"
    cli.done("log", "create", stream)
    with PostgresEventLog(cli.database_url, stream) as log:
        log.append([checkpoint_v1("t")])
    with (
        pytest.raises(CoordstreamError, match="has no coordinator stream"),
        open_startpoint_job("counts"),
    ):
        pytest.fail("it opened")
