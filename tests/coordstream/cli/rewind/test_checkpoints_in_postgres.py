"""`coordstream rewind undo`, for a job whose checkpoints are on its coordinator stream in Postgres."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from eventlog.partition import SystemStreamPartition
from eventlog.postgres.log import PostgresEventLog
from eventlog.streams import identify
from managers.rewind.checkpoint_changes import OffsetsChange, saved_offsets
from managers.rewind.rewind_files import write_rewind_file
from managers.rewind.rewind_plan import Move, RewindPlan
from managers.rewind.undo_file import UndoFile
from tests.builders import config_set, set_checkpoint
from tests.coordstream.command_line import CommandLine

STREAM = "__samza_coordinator_counts_1"
TASK = "Partition 0"
INPUT = SystemStreamPartition("kafka", "words", 0)


def applied(log: PostgresEventLog) -> UndoFile:
    """The undo file of a rewind from offset 15 to 3."""
    at = datetime(2026, 1, 31, tzinfo=UTC)
    move = Move(
        task_name=TASK,
        system_name="kafka",
        stream_name="words",
        partition_id=0,
        decided_by="checkpoint",
        startpoint_type=None,
        startpoint_value=None,
        checkpoint_offset="14",
        from_offset=15,
        to_offset=3,
        requested_offset=3,
        finding=None,
        records_again=12,
        records_skipped=0,
        is_counted=False,
        bytes=None,
        seconds_to_catch_up=None,
        stores=(),
    )
    plan = RewindPlan(
        job_name="counts",
        job_id="1",
        target="offset 3",
        made_at=at,
        coordinator_stream=STREAM,
        coordinator_stream_id=log.stream_id,
        log_offset=log.end_offset(),
        moves=(move,),
    )
    change = OffsetsChange(task_name=TASK, before=saved_offsets({INPUT: "14"}), after=saved_offsets({INPUT: "2"}))
    return UndoFile(
        plan_sha256="0", begun_at=at, plan=plan, log_offset=1, checkpoint_log_offset=1, checkpoints=(change,)
    )


def test_an_undo_excludes_writers_by_the_connection_that_writes(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PGOPTIONS", "-c lock_timeout=2s")
    with PostgresEventLog.create(cli.database_url, identify(STREAM)) as log:
        log.append([config_set("job.name", "counts"), set_checkpoint(TASK, {str(INPUT): "2"})])
        write_rewind_file(tmp_path / "undo.json", applied(log), may_replace=False)
    refused = cli.refused("rewind", "undo", tmp_path / "undo.json", "--force")
    assert refused == "Nothing was written: confirmation needs a terminal. Use --yes to go on."
    assert cli("rewind", "undo", tmp_path / "undo.json", "--yes", "--force").out == "Undone: 1 checkpoint written.\n"
    assert "14" in cli.done("checkpoint", "write", "counts")


def test_a_commit_of_the_job_is_not_taken_for_a_checkpoint_that_the_rewind_did_not_change(
    cli: CommandLine, tmp_path: Path
) -> None:
    same = saved_offsets({INPUT: "5"})
    with PostgresEventLog.create(cli.database_url, identify(STREAM)) as log:
        log.append([config_set("job.name", "counts"), set_checkpoint(TASK, {str(INPUT): "2"})])
        begun = applied(log)
        log.append([set_checkpoint("Partition 1", {str(INPUT): "5"})])
    unchanged = OffsetsChange(task_name="Partition 1", before=same, after=same)
    undo_file = begun.model_copy(update={"checkpoints": (*begun.checkpoints, unchanged)})
    write_rewind_file(tmp_path / "undo.json", undo_file, may_replace=False)
    assert "counts/1 appears to be running" in cli.refused("rewind", "undo", tmp_path / "undo.json", "--yes")
