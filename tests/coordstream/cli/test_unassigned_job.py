"""Commands on a job without assignments, such as a Python program that only uses the managers."""

from datetime import UTC, datetime

import pytest

from eventlog.checkpoint import CheckpointV1
from eventlog.partition import SystemStreamPartition
from eventlog.postgres.log import PostgresEventLog
from eventlog.startpoint import StartpointSpecific
from eventlog.streams import coordinator_stream_name
from managers.checkpoints.checkpoint_manager import CheckpointManager
from managers.startpoints.next_starts import StartpointFacts
from tests.coordstream.command_line import CommandLine
from tests.coordstream.rewound_job import set_clock, unreachable_inputs

STREAM = coordinator_stream_name("program")
SILENT = coordinator_stream_name("silent")
IN_0 = SystemStreamPartition("kafka", "in", 0)
ASSUMED = "warning: The job has no assignments of partitions to tasks. Each task is assumed to read the partitions"
LATER = datetime(2100, 1, 1, tzinfo=UTC)
"""Long after the last commit, whenever that is: the job is stopped."""


@pytest.fixture
def program(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """The command line on a database with two jobs: one has only a checkpoint, the other nothing."""
    for stream in (STREAM, SILENT):
        cli.done("log", "create", stream)
    with PostgresEventLog(cli.database_url, STREAM) as log, CheckpointManager(log) as manager:
        manager.register("reader")
        manager.write_checkpoint("reader", CheckpointV1({IN_0: "41"}))
    assert cli("follow", STREAM, "--once").code == 0
    set_clock(monkeypatch, LATER)
    unreachable_inputs(monkeypatch)
    return cli


def test_starts_are_explained(program: CommandLine) -> None:
    finished = program("explain", "program", "reader")
    assert finished.code == 0
    words = " ".join(finished.out.split())
    assert "kafka.in.0 starts after offset 41. The checkpoint decides" in words
    assert "Not assigned: the job has no assignments of partitions to tasks" in words
    assert program.refused("explain", "program", "other").endswith("Known tasks: reader.")


def test_startpoints_are_written_and_fanned_out(program: CommandLine) -> None:
    written = program("startpoint", "write", "program", "kafka.in", "7", "--yes")
    assert written.code == 0
    assert ASSUMED in written.err
    assert "unknown" not in written.err
    fanned_out = program("startpoint", "fan-out", "program", "--yes")
    assert (fanned_out.code, fanned_out.out.splitlines()[-1]) == (
        0,
        "1 startpoint fanned out to 1 task. Each task starts there at its next start.",
    )
    with PostgresEventLog(program.database_url, STREAM) as log:
        ((task_name, startpoints),) = StartpointFacts.read(log).fanned_out.items()
    assert (task_name, startpoints[IN_0].value) == ("reader", "7")
    assert isinstance(startpoints[IN_0], StartpointSpecific)


def test_a_request_that_no_task_follows_is_a_warning(program: CommandLine) -> None:
    written = program("startpoint", "write", "silent", "kafka.in.0", "7", "--yes", "--force")
    assert written.code == 0
    assert "The job has no assignments and no checkpoints, so the tasks that read kafka.in.0 are" in written.err
