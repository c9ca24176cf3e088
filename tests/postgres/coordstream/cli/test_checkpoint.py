"""`coordstream checkpoint`, on the job of recording A, whose logs can be written or not."""

from pathlib import Path
from typing import Any

import pytest

from coordstream.cli import checkpoint as checkpoint_command
from eventlog.checkpoint import CheckpointV2
from eventlog.partition import SystemStreamPartition
from eventlog.postgres.log import PostgresEventLog
from eventlog.wire.checkpoint_topic import decode_key, decode_v2
from managers.checkpoints.checkpoint_manager import KafkaCheckpointManager
from tests.builders import KAFKA_BACKEND, checkpoint_v1, set_checkpoint
from tests.fixtures.coordstream.command_line import CHECKPOINT, CommandLine
from tests.fixtures.coordstream.rewound_job import LAST_COMMIT, end

TASK = "Partition 1"
PAGE_VIEWS_1 = SystemStreamPartition("kafka", "page-views", 1)
AN_HOUR_LATER = LAST_COMMIT.replace(hour=10)
GIVEN = f"{TASK}/kafka.page-views.1=7"
END = 388


@pytest.fixture
def job(appendable: CommandLine, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """The command line where the job of recording A has logs in Postgres, an hour after its last commit."""
    monkeypatch.setattr(checkpoint_command, "system_clock", lambda: AN_HOUR_LATER)
    return appendable


def written(cli: CommandLine) -> list[tuple[str, str, CheckpointV2]]:
    """Type, task and checkpoint of the events after the recording."""
    with PostgresEventLog(cli.database_url, CHECKPOINT) as log:
        events = [(decode_key(event.key), event.value or b"") for event in log.read(END)]
    return [(key.key_type, key.task_name, decode_v2(value)) for key, value in events]


def starting(cli: CommandLine, task: str = TASK) -> Any:
    """The checkpoint that the job would read at its next start."""
    config = {"task.checkpoint.read.versions": "2,1"}
    manager = KafkaCheckpointManager(lambda: PostgresEventLog(cli.database_url, CHECKPOINT), config=config)
    manager.register(task)
    with manager:
        return manager.read_last_checkpoint(task)


@pytest.mark.scenario("CKT-01")
def test_without_offsets_the_current_ones_are_printed(job: CommandLine, tmp_path: Path) -> None:
    printed = job.done("checkpoint", "write", "wordcount_pv")
    assert len(job.rows("checkpoint", "write", "wordcount_pv")) == len(printed.splitlines()) == 16
    (tmp_path / "same").write_text(printed)
    again = job.done("checkpoint", "write", "wordcount_pv", "--from-file", tmp_path / "same", "--yes")
    assert again == "Nothing to change: wordcount_pv/1 already has these offsets.\n"
    assert end(job, CHECKPOINT) == END


def test_a_partial_file_is_merged_and_state_stays(job: CommandLine, tmp_path: Path) -> None:
    before = starting(job)
    (tmp_path / "new").write_text("tasknames.Partition 1.systems.kafka.streams.page-views.partitions.1=7\n")
    job.done("checkpoint", "write", "wordcount_pv", "--from-file", tmp_path / "new", "--yes")
    ((key_type, task, checkpoint),) = written(job)
    assert (key_type, task) == ("checkpoint-v2", TASK)
    assert checkpoint.offsets == {**before.offsets, PAGE_VIEWS_1: "7"}
    assert checkpoint.state_markers == before.state_markers
    assert list(checkpoint.state_markers) == [KAFKA_BACKEND]
    assert checkpoint.checkpoint_id is not None
    assert checkpoint.checkpoint_id.millis == int(AN_HOUR_LATER.timestamp() * 1000)
    assert starting(job) == checkpoint


def test_replace_drops_other_partitions(job: CommandLine) -> None:
    job.done("checkpoint", "write", "wordcount_pv/1", GIVEN, "--replace", "--yes")
    assert starting(job).offsets == {PAGE_VIEWS_1: "7"}
    assert starting(job).state_markers


@pytest.mark.parametrize(("second", "force", "code"), [(17, [], 1), (18, [], 0), (14, ["--force"], 0)])
def test_a_running_job_is_refused(
    job: CommandLine, monkeypatch: pytest.MonkeyPatch, second: int, force: list[str], code: int
) -> None:
    now = LAST_COMMIT.replace(second=second)  # task.commit.ms=1500
    monkeypatch.setattr(checkpoint_command, "system_clock", lambda: now)
    assert job("checkpoint", "write", "wordcount_pv", GIVEN, "--yes", *force).code == code
    assert end(job, CHECKPOINT) == END + 1 - code


@pytest.mark.scenario("CKT-07")
def test_overrides_take_precedence_over_the_jobs_config(job: CommandLine) -> None:
    words = ("checkpoint", "write", "wordcount_pv", GIVEN, "--yes")
    job.done(*words, "--config", "task.checkpoint.read.versions=1")
    with PostgresEventLog(job.database_url, CHECKPOINT) as log:
        (event,) = log.read(END)
    assert decode_key(event.key).key_type == "checkpoint"
    assert "startpoint write wordcount_pv/1" in job.refused(*words, "--config", "app.runner=coordstream steered")
    assert "with a new folder" in job(*words, "--force", "--replace", "--config", "app.runner=coordstream observe").err


def test_checkpoints_of_the_coordinator_stream_are_written_there(cli: CommandLine) -> None:
    stream = "__samza_coordinator_counts_1"
    cli.done("log", "create", stream)
    with PostgresEventLog(cli.database_url, stream) as log:
        log.append([set_checkpoint(TASK, {"kafka.page-views.9": "4"})._replace(timestamp=1)])
        (change,) = cli.rows("checkpoint", "write", "counts", f"{TASK}/db.x.0=redis://:hunter2@h/1", "--dry-run")
        refused = cli.refused("checkpoint", "write", "counts", f"{TASK}/db.x.0={change['new_offset']}")
        assert "is the fingerprint of a secret" in refused
        cli.done("checkpoint", "write", "counts", GIVEN, "--yes")
        event = list(log.read())[-1]
    assert event.key == b'[1,"set-checkpoint","Partition 1"]'
    assert b'"source":"checkpoint-tool"' in (event.value or b"")
    assert b'"values":{"kafka.page-views.1":"7","kafka.page-views.9":"4"}' in (event.value or b"")


def test_a_checkpoint_that_the_job_writes_meanwhile_is_kept(job: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    before = end(job, CHECKPOINT)

    def commit(*_words: str, **_options: bool) -> None:
        with PostgresEventLog(job.database_url, CHECKPOINT) as log:
            log.append([checkpoint_v1(TASK, {"kafka.page-views.1": "9"})])

    monkeypatch.setattr("coordstream.cli.change.confirm", commit)
    finished = job("checkpoint", "write", "wordcount_pv", GIVEN)
    assert finished.code == 1
    assert finished.err.splitlines()[-1] == (
        f"Another writer wrote a checkpoint of task '{TASK}' at offset {before}. Nothing was written. Stop the job, "
        "and look at its checkpoints before you write again."
    )
    assert end(job, CHECKPOINT) == before + 1
