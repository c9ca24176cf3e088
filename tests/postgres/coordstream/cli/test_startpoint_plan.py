"""A job whose starting offsets are to change, and what a startpoint request would write."""

import pytest

from coordstream.cli.startpoint_plan import first_offset, input_problem
from eventlog.messages import SetStartpointFanOut, SetTaskPartitionMapping
from eventlog.partition import SystemStreamPartition
from eventlog.postgres.log import PostgresEventLog
from eventlog.startpoint import (
    StartingOffset,
    Startpoint,
    StartpointFanOut,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
)
from eventlog.streams import identify
from eventlog.system_admin import PartitionBounds, ResolvedStartpoint
from managers.startpoints.next_starts import StartpointFacts, changed_starts
from tests.builders import startpoint, task_partition
from tests.fixtures.coordstream.command_line import CommandLine

NOW = 1_700_000_000_000
SEVEN = StartpointSpecific("7", NOW)


def test_a_start_that_the_request_moves_beside_is_listed() -> None:
    read = [SystemStreamPartition("kafka", "in", number) for number in range(2)]
    assigned = [SetTaskPartitionMapping(partition=each, task_names=("t",)) for each in read]
    held = SetStartpointFanOut(task_name="t", fan_out=StartpointFanOut(1, {read[1]: StartpointOldest(1)}))
    facts = StartpointFacts.of([*assigned, held])
    changed = changed_starts(facts, {"t": dict.fromkeys(read, "9")}, {"kafka.in.0": SEVEN}, NOW)
    decided = [(each.partition.partition, each.before.decided_by, each.after.decided_by) for each in changed]
    assert decided == [(0, "checkpoint", "startpoint"), (1, "startpoint", "checkpoint")]  # Samza replaces the fan-out


BOUNDS = PartitionBounds("in", 0, 7, 100, None)


@pytest.mark.parametrize(
    ("start", "offset"),
    [
        (StartingOffset("checkpoint", starting_offset="42"), "42"),
        (StartingOffset("default", "oldest"), "7"),
        (StartingOffset("reset", "upcoming"), "100"),
        (StartingOffset("checkpoint"), ""),
        (StartingOffset("startpoint", "timestamp", "5"), ""),
    ],
)
def test_the_first_offset_of_a_start(start: StartingOffset, offset: str) -> None:
    assert first_offset(start, BOUNDS) == offset


@pytest.mark.parametrize(
    ("startpoint", "offset", "words"),
    [
        (StartpointTimestamp(5, 1), "7", "may already be deleted. The job starts at the oldest record."),
        (StartpointTimestamp(5, 1), "8", None),
        (StartpointSpecific("6", 1), "6", "is already deleted. The consumer's auto.offset.reset decides."),
        (StartpointSpecific("7", 1), "7", None),
        (StartpointSpecific("100", 1), "100", None),
        (StartpointSpecific("101", 1), "101", "the offset is beyond the end."),
        (StartpointOldest(1), "7", None),
    ],
)
def test_problems_of_a_startpoint_in_its_input(startpoint: Startpoint, offset: str, words: str | None) -> None:
    problem = input_problem(startpoint, BOUNDS, ResolvedStartpoint(offset))
    assert problem is None if words is None else words in (problem or "")
    assert input_problem(startpoint, None, None) == "not found in the input."


def test_a_job_without_a_coordinator_stream_has_no_startpoints(cli: CommandLine) -> None:
    cli.done("log", "create", "__samza_checkpoint_ver_1_for_counts_1")
    assert "has no coordinator stream" in cli.refused("startpoint", "delete", "counts", "--all")


def test_the_value_of_a_startpoint_is_shown_without_its_secret(cli: CommandLine) -> None:
    requested = StartpointSpecific("redis://:hunter2@h/1")
    with PostgresEventLog.create(cli.database_url, identify("__samza_coordinator_counts_1")) as log:
        log.append([task_partition("k.in.0"), startpoint("k.in.0", requested)])
    for words in (("fan-out", "counts"), ("delete", "counts", "--all")):
        (row,) = cli.rows("startpoint", *words, "--dry-run")
        assert row["startpoint_value"].startswith("hmac-sha256:")
        assert "hunter2" not in cli.done("startpoint", *words, "--dry-run")
