"""A job whose starting offsets are to change, and what a startpoint request would write."""

from datetime import UTC, datetime

import pytest

from coordstream.cli import startpoint_plan
from coordstream.cli.event_logs import JobLogs
from coordstream.cli.positions import Input
from coordstream.cli.startpoint_plan import (
    StartpointJob,
    WritePlan,
    open_startpoint_job,
    plan_rows,
    plan_write,
    write_commands,
)
from coordstream.errors import CoordstreamError
from eventlog.config import KAFKA_SYSTEM_FACTORY
from eventlog.log import MemoryEventLog
from eventlog.messages import Message, SetConfig, SetStartpointFanOut, SetTaskPartitionMapping
from eventlog.partition import SystemStreamPartition
from eventlog.postgres.log import PostgresEventLog
from eventlog.starting_offset import StartingOffset
from eventlog.startpoint import (
    Startpoint,
    StartpointFanOut,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
)
from eventlog.streams import identify
from eventlog.system_admin import ResolvedStartpoint, SystemStreamPartitionMetadata
from managers.job_facts import JobFacts
from managers.startpoints.next_starts import StartChange, StartpointFacts
from managers.startpoints.startpoint_request import ResolvedInput
from projections.job_choice import Job
from tests.builders import checkpoint_v1
from tests.fixtures.coordstream.command_line import CommandLine

NOW = 1_700_000_000_000
SEVEN = StartpointSpecific("7", NOW)


def job(*messages: Message, partitions: int = 2) -> StartpointJob:
    """A job whose task ``t`` reads partitions of kafka.in, processed up to 9."""
    read = [SystemStreamPartition("kafka", "in", number) for number in range(partitions)]
    assigned = [SetTaskPartitionMapping(partition=each, task_names=("t",)) for each in read]
    factory = SetConfig(config_key="systems.kafka.samza.factory", config_value=KAFKA_SYSTEM_FACTORY)
    facts = StartpointFacts.of([factory, *assigned, *messages])
    log = MemoryEventLog(identify("__samza_coordinator_counts_1"))
    logs = JobLogs(Job("counts", "1"), log, None)
    return StartpointJob(logs.job, logs, log, facts, {"t": dict.fromkeys(read, "9")}, None)


def test_a_start_that_the_request_moves_beside_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(startpoint_plan, "_resolve", lambda *_: (None, "the input is not asked"))
    held = SetStartpointFanOut(
        task_name="t", fan_out=StartpointFanOut(1, {SystemStreamPartition("kafka", "in", 1): StartpointOldest(1)})
    )
    made = plan_write(job(held), Input("kafka", "in", (0,)), SEVEN, ())
    rows = [(row["partition_id"], row["old_decided_by"], row["new_decided_by"]) for row in plan_rows(made)]
    assert rows == [(0, "checkpoint", "startpoint"), (1, "startpoint", "checkpoint")]  # Samza replaces the fan-out


AT_SEVEN = StartingOffset("startpoint", "specific", "7", "7")
IN_0 = SystemStreamPartition("kafka", "in", 0)


@pytest.mark.parametrize(
    ("before", "after", "count"),
    [
        (StartingOffset("checkpoint", starting_offset="42"), AT_SEVEN, 35),
        (StartingOffset("default", "oldest"), AT_SEVEN, 0),
        (StartingOffset("default", "upcoming"), AT_SEVEN, 93),
        (StartingOffset("checkpoint", starting_offset="2"), AT_SEVEN, -5),
        (StartingOffset("checkpoint"), AT_SEVEN, None),
        (StartingOffset("checkpoint", starting_offset="x"), AT_SEVEN, None),
        (StartingOffset("startpoint", "timestamp", "5"), AT_SEVEN, None),
        (StartingOffset("default", "oldest"), StartingOffset("startpoint", "specific", "8", "8"), None),
    ],
)
def test_events_between_two_starts(before: StartingOffset, after: StartingOffset, count: int | None) -> None:
    resolved = ResolvedInput({0: SystemStreamPartitionMetadata("7", "99", "100")}, {0: ResolvedStartpoint("7")}, {})
    made = WritePlan(job(), SEVEN, [], [], {}, resolved)
    assert made.events_again(StartChange("t", IN_0, before, after)) == count
    assert made._replace(resolved=None).events_again(StartChange("t", IN_0, before, after)) is None


def test_requests_can_be_written_again() -> None:
    requests: dict[str, Startpoint] = {
        "kafka.in.0": StartpointSpecific("7", 1),
        "kafka.in.1": StartpointSpecific("7", 2),
        "kafka.in.2.Partition 2": StartpointTimestamp(1_700_000_000_001, 3),
        "kafka.in.3": StartpointOldest(4),
        "kafka.in.4": StartpointSpecific(None, 5),
        "no key": StartpointOldest(6),
    }
    assert write_commands(Job("j", "1"), requests) == [
        "coordstream startpoint write j/1 kafka.in.0-1 7",
        "coordstream startpoint write j/1 kafka.in.2 2023-11-14T22:13:20.001Z --task 'Partition 2'",
        "coordstream startpoint write j/1 kafka.in.3 oldest",
    ]


NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
NOON_MS = 1_769_860_800_000
HOUR_MS = 3_600_000
COUNTS = "__samza_coordinator_counts_1"


def job_at(record_ms: int | None = None, commit_ms: int | None = None) -> StartpointJob:
    facts = StartpointFacts(JobFacts({}, frozenset()), {}, {}, {}, record_ms)
    log = MemoryEventLog(identify(COUNTS))
    logs = JobLogs(Job("counts", "1"), log, None)
    return StartpointJob(logs.job, logs, log, facts, {}, commit_ms)


@pytest.mark.parametrize(
    ("known", "behind"),
    [
        (job_at(), ""),
        (job_at(NOON_MS + HOUR_MS), ""),
        (job_at(NOON_MS + HOUR_MS + 1), "1.0 hours"),
        (job_at(NOON_MS, NOON_MS + 36 * HOUR_MS), "36.0 hours"),
    ],
)
def test_the_clock_is_compared_with_the_newest_record(known: StartpointJob, behind: str) -> None:
    sentence = known.clock_behind(NOON)
    assert (behind in sentence, bool(sentence)) == (True, bool(behind))


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
