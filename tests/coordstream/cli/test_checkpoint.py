"""`coordstream checkpoint`, on the job of recording A, whose logs can be written or not."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from coordstream.cli import checkpoint as checkpoint_command
from eventlog.checkpoint import CheckpointV2
from eventlog.partition import SystemStreamPartition
from eventlog.postgres.log import PostgresEventLog
from eventlog.wire.checkpoint_topic import (
    decode_key,
    decode_v2,
)
from managers.checkpoints.checkpoint_manager import KafkaCheckpointManager
from tests.builders import KAFKA_BACKEND, checkpoint_v1, set_checkpoint, task_container
from tests.coordstream.command_line import CHECKPOINT, COORDINATOR, CommandLine

TASK = "Partition 1"
PAGE_VIEWS_1 = SystemStreamPartition("kafka", "page-views", 1)
LAST_COMMIT = datetime(2026, 11, 21, 9, 18, 13, tzinfo=UTC)
AN_HOUR_LATER = LAST_COMMIT.replace(hour=10)
GIVEN = f"{TASK}/kafka.page-views.1=7"
END = 388
END_OF_RUN_1 = "2026-11-21T09:16:56.684Z"


@pytest.fixture
def job(appendable: CommandLine, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """The command line where the job of recording A has logs in Postgres, an hour after its last commit."""
    monkeypatch.setattr(checkpoint_command, "system_clock", lambda: AN_HOUR_LATER)
    return appendable


def end(cli: CommandLine, stream: str = CHECKPOINT) -> int:
    with PostgresEventLog(cli.database_url, stream) as log:
        return log.end_offset()


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
    lines = printed.splitlines()
    assert len(lines) == 16
    assert "tasknames.Partition 1.systems.kafka.streams.page-views.partitions.9 = 4" in lines
    assert len(job.rows("checkpoint", "write", "wordcount_pv")) == 16
    (tmp_path / "same").write_text(printed)
    assert "Nothing to change: wordcount_pv/1 already has these offsets." in job.done(
        "checkpoint", "write", "wordcount_pv", "--from-file", tmp_path / "same", "--yes"
    )
    assert end(job) == END


def test_tasks_without_a_checkpoint_are_named(job: CommandLine) -> None:
    with PostgresEventLog(job.database_url, COORDINATOR) as log:
        log.append([task_container("Partition 80"), task_container("Partition 9")])
    both = "Without a checkpoint, tasks start at the job's default offsets: Partition 80, Partition 9."
    for words in ((), (GIVEN, "--dry-run")):
        ended = job("checkpoint", "write", "wordcount_pv", *words)
        assert both in ended.err.splitlines()
        assert "Partition 9" not in ended.out
    ended = job("checkpoint", "write", "wordcount_pv", "Partition 80/kafka.page-views.0=1", "--yes")
    assert ended.err.endswith("default offsets: Partition 9.\n")
    assert "Partition 9" in job("checkpoint", "write", "wordcount_pv").err


def test_a_partial_file_is_merged_and_state_stays(job: CommandLine, tmp_path: Path) -> None:
    before = starting(job)
    (tmp_path / "new").write_text("tasknames.Partition 1.systems.kafka.streams.page-views.partitions.1=7\n")
    printed = job.done("checkpoint", "write", "wordcount_pv", "--from-file", tmp_path / "new", "--yes")
    assert printed.splitlines()[-1] == "1 checkpoint written."
    assert "kafka.page-views.1" in printed
    assert "kafka.page-views.9" not in printed  # only what changes is shown
    ((key_type, task, checkpoint),) = written(job)
    assert (key_type, task) == ("checkpoint-v2", TASK)
    assert checkpoint.offsets == {**before.offsets, PAGE_VIEWS_1: "7"}
    assert checkpoint.state_markers == before.state_markers
    assert list(checkpoint.state_markers) == [KAFKA_BACKEND]
    assert checkpoint.checkpoint_id is not None
    assert checkpoint.checkpoint_id.millis == int(AN_HOUR_LATER.timestamp() * 1000)
    assert starting(job) == checkpoint


def test_replace_drops_other_partitions(job: CommandLine) -> None:
    rows = job.rows("checkpoint", "write", "wordcount_pv/1", GIVEN, "--replace", "--yes")
    assert [(row["partition_id"], row["old_offset"], row["new_offset"]) for row in rows] == [
        (1, "29", "7"),
        (9, "4", None),
    ]
    assert {(row["job_name"], row["job_id"], row["task_name"], row["is_written"]) for row in rows} == {
        ("wordcount_pv", "1", TASK, True)
    }
    assert starting(job).offsets == {PAGE_VIEWS_1: "7"}
    assert starting(job).state_markers


def test_a_dry_run_writes_nothing(job: CommandLine) -> None:
    printed = job.done("checkpoint", "write", "wordcount_pv", GIVEN, "--dry-run")
    assert printed.splitlines()[-1] == "Nothing was written (dry run)."
    (row,) = job.rows("checkpoint", "write", "wordcount_pv", GIVEN, "--dry-run")
    assert (row["old_offset"], row["new_offset"], row["is_written"]) == ("29", "7", False)
    same = GIVEN.replace("=7", "=29")
    header = job.done("checkpoint", "write", "wordcount_pv", same, "--dry-run", "--csv").splitlines()
    assert header == [",".join(row)]
    assert end(job) == END


def test_a_running_job_is_refused(job: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        checkpoint_command, "system_clock", lambda: LAST_COMMIT.replace(second=17)
    )  # task.commit.ms=1500
    words = ("checkpoint", "write", "wordcount_pv", GIVEN, "--yes")
    refused = job.refused(*words)
    assert "wordcount_pv/1 appears to be running (last checkpoint 4 s ago). Stop it first, or use --force." in refused
    assert end(job) == END
    monkeypatch.setattr(checkpoint_command, "system_clock", lambda: LAST_COMMIT.replace(second=18))
    job.done(*words)
    monkeypatch.setattr(checkpoint_command, "system_clock", lambda: LAST_COMMIT.replace(second=14))
    job.done("checkpoint", "write", "wordcount_pv", f"{TASK}/kafka.page-views.1=8", "--yes", "--force")
    assert [checkpoint.offsets[PAGE_VIEWS_1] for _, _, checkpoint in written(job)] == ["7", "8"]


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        ((GIVEN,), 1, "Nothing was written: confirmation needs a terminal."),
        ((GIVEN.replace(TASK, "Partiton 1"), "--yes"), 1, "The job has no task 'Partiton 1'. Its tasks: Partition 0, "),
        ((GIVEN.replace("=7", "=seven"), "--yes"), 1, "Invalid offset 'seven' for Partition 1, kafka.page-views.1. "),
        (
            (GIVEN.replace("=7", f"={2**63}"), "--yes"),
            1,
            f"Expected a number from -1 (start at offset 0) to {2**63 - 2}. Correct it; nothing was written",
        ),
        ((GIVEN.replace("=7", "=-2"), "--yes"), 1, "Invalid offset '-2' for Partition 1, kafka.page-views.1. "),
        (
            (GIVEN.replace("views.1", "views.77"), "--yes"),
            1,
            "Task Partition 1 does not read kafka.page-views.77. It reads",
        ),
        (("--from-file", "nothing.properties"), 1, "Cannot access 'nothing.properties': no such file or directory."),
        ((GIVEN, "--from-file", "-"), 2, "Expected offsets or '--from-file', not both."),
        ((GIVEN, "kafka.page-views.1=7"), 2, "Expected TASK/SYSTEM.STREAM.PARTITION=OFFSET, for example"),
        ((GIVEN, "--config", "x"), 2, "Invalid value for '--config'. Expected KEY=VALUE."),
    ],
)
def test_rejected_arguments_write_nothing(job: CommandLine, words: tuple[str, ...], code: int, sentence: str) -> None:
    finished = job("checkpoint", "write", "wordcount_pv", *words)
    assert (finished.code, finished.err.count("\n")) == (code, 1)
    assert sentence in finished.err
    assert end(job) == END


@pytest.mark.scenario("CKT-07")
def test_overrides_take_precedence_over_the_jobs_config(job: CommandLine) -> None:
    words = ("checkpoint", "write", "wordcount_pv", GIVEN, "--yes")
    job.done(*words, "--config", "task.checkpoint.read.versions=1")
    with PostgresEventLog(job.database_url, CHECKPOINT) as log:
        (event,) = log.read(END)
    assert decode_key(event.key).key_type == "checkpoint"
    unknown = job.refused(*words, "--config", "task.checkpoint.factory=my.Factory")
    assert unknown.startswith("task.checkpoint.factory is my.Factory, whose checkpoints are not in Kafka")
    assert end(job) == END + 1


def test_checkpoints_of_the_coordinator_stream_are_written_there(cli: CommandLine) -> None:
    stream = "__samza_coordinator_counts_1"
    cli.done("log", "create", stream)
    with PostgresEventLog(cli.database_url, stream) as log:
        log.append([set_checkpoint(TASK, {"kafka.page-views.9": "4"})._replace(timestamp=1)])
        cli.done("checkpoint", "write", "counts", GIVEN, "--yes")
        event = list(log.read())[-1]
    assert event.key == b'[1,"set-checkpoint","Partition 1"]'
    assert b'"source":"checkpoint-tool"' in (event.value or b"")
    assert b'"values":{"kafka.page-views.1":"7","kafka.page-views.9":"4"}' in (event.value or b"")


def test_warning_about_a_dotted_stream_in_a_v2_checkpoint(job: CommandLine) -> None:
    finished = job("checkpoint", "write", "wordcount_pv", f"{TASK}/kafka.page.views.1=7", "--yes", "--force")
    assert finished.code == 0
    assert finished.err.startswith("warning: Samza cannot read the V2 checkpoint of task 'Partition 1'")


def test_a_recording_is_not_appended_to(wordcount: CommandLine) -> None:
    refused = wordcount.refused("checkpoint", "write", "wordcount_pv", GIVEN, "--yes")
    assert refused.startswith(f"Cannot append to {CHECKPOINT}: it was imported from a recording. Write to the")
    wordcount.done("checkpoint", "write", "wordcount_pv", GIVEN, "--dry-run")


def test_a_checkpoint_that_the_job_writes_meanwhile_is_kept(job: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    before = end(job)

    def commit(*_words: str, **_options: bool) -> None:
        with PostgresEventLog(job.database_url, CHECKPOINT) as log:
            log.append([checkpoint_v1(TASK, {"kafka.page-views.1": "9"})])

    monkeypatch.setattr("coordstream.cli.checkpoint.confirm", commit)
    finished = job("checkpoint", "write", "wordcount_pv", GIVEN)
    assert finished.code == 1
    assert finished.err.splitlines()[-1] == (
        f"Another writer wrote a checkpoint of task '{TASK}' at offset {before}. Nothing was written. Stop the job, "
        "and look at its checkpoints before you write again."
    )
    assert end(job) == before + 1


def test_every_task_has_its_checkpoint_now_and_before(wordcount: CommandLine) -> None:
    now = wordcount.rows("checkpoint", "show", "wordcount_pv")
    assert len(now) == 16
    assert {row["task_name"] for row in now} == {f"Partition {n}" for n in range(8)}
    before = wordcount.rows("checkpoint", "show", "wordcount_pv", "--as-of", END_OF_RUN_1)
    by_offset = wordcount.rows("checkpoint", "show", "wordcount_pv", "--as-of-offset", "111")
    assert before == by_offset
    places = {(row["task_name"], row["stream_name"], row["partition_id"]): row["input_offset"] for row in before}
    assert (places["Partition 1", "page-views", 1], places["Partition 1", "rules", 0]) == ("19", "2")


def test_a_single_task(wordcount: CommandLine) -> None:
    rows = wordcount.rows("checkpoint", "show", "wordcount_pv/1", "--task", "Partition 7")
    assert [(row["stream_name"], row["partition_id"], row["input_offset"]) for row in rows] == [
        ("page-views", 7, "24"),
        ("page-views", 15, "4"),
    ]
    sentence = wordcount.refused("checkpoint", "show", "wordcount_pv", "--task", "7")
    assert sentence.startswith('Job wordcount_pv/1 has no checkpoint of a task "7". Known tasks: Partition 0, ')


def test_history_shows_each_version_or_each_commit_once(wordcount: CommandLine) -> None:
    words = ("checkpoint", "history", "wordcount_pv", "--task", "Partition 1")
    everything, preferred = wordcount.rows(*words), wordcount.rows(*words, "--preferred")
    assert {row["checkpoint_version"] for row in everything} == {1, 2}
    assert preferred == [row for row in everything if row["is_preferred"]]
    assert 0 < len(preferred) < len(everything)
    newest = sorted({row["log_offset"] for row in everything})[-3:]
    assert wordcount.rows(*words, "--limit", "3") == [row for row in everything if row["log_offset"] in newest]
    cut = wordcount.rows(*words, "--as-of", END_OF_RUN_1)
    assert cut == [row for row in everything if row["log_offset"] <= 111]
