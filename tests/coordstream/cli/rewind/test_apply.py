"""`coordstream rewind apply` and `undo`, on the topics of a real broker."""

from typing import Any

import pytest

from managers.rewind.request_changes import write_missing
from managers.rewind.rewind_errors import WorldMoved
from tests.coordstream.command_line import CommandLine
from tests.coordstream.rewindable_job import RewindableJob
from tests.fixtures.kafka_topics import Topics

PLAN = "plan.json"
UNDO = "plan.undo.json"


@pytest.fixture
def job(topics: Topics, job_name: str) -> RewindableJob:
    """A stopped job with two partitions of 20 records, of which its tasks have processed 15."""
    made = RewindableJob(topics, job_name)
    for partition in range(2):
        made.produce(partition, 20)
        made.commit(partition, 14, time=1_000_000)
    return made


def plan(cli: CommandLine, job: RewindableJob, *words: str) -> None:
    assert cli("rewind", "plan", job.name, *words, "-o", PLAN).code == 0


def test_startpoints_are_written_and_undone(kafka_cli: CommandLine, job: RewindableJob) -> None:
    before = job.starts()
    plan(kafka_cli, job, "--to-offset", "3")
    applied = kafka_cli("rewind", "apply", PLAN, "--yes")
    assert (applied.code, applied.out.splitlines()[-1]) == (0, "2 startpoints written.")
    assert job.starts() == {0: ("startpoint", "3"), 1: ("startpoint", "3")}
    again = kafka_cli("rewind", "apply", PLAN, "--yes")
    assert (again.code, again.out.splitlines()[-1]) == (0, "Nothing to write: the plan is already applied.")
    undone = kafka_cli("rewind", "undo", UNDO, "--yes")
    assert (undone.code, undone.out) == (0, "Undone: 2 startpoints written.\n")
    assert job.starts() == before
    assert kafka_cli("rewind", "undo", UNDO, "--yes").out == "Nothing to write: the rewind is undone.\n"
    assert kafka_cli.refused("rewind", "apply", PLAN, "--yes", "--json") == "The rewind was undone. Make a new plan."


def test_checkpoints_of_a_stopped_job_are_written_and_undone(kafka_cli: CommandLine, job: RewindableJob) -> None:
    before = job.starts()
    plan(kafka_cli, job, "--to-offset", "0", "--task", "Partition 1")
    assert kafka_cli("rewind", "apply", PLAN, "--checkpoints", "--yes").code == 0
    assert job.starts() == {0: ("checkpoint", "15"), 1: ("checkpoint", "0")}
    again = kafka_cli("rewind", "apply", PLAN, "--checkpoints", "--yes")
    assert again.out.splitlines()[-1] == "Nothing to write: the plan is already applied."
    assert kafka_cli("rewind", "undo", UNDO, "--yes").code == 0
    assert job.starts() == before


def test_startpoints_written_beside_another_writer_can_be_undone(
    kafka_cli: CommandLine, job: RewindableJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_and_notice_the_other_writer(*arguments: Any) -> int:
        """As on Kafka, which has no conditional appends: others are noticed after the write."""
        write_missing(*arguments)
        raise WorldMoved("Another writer.")

    before = job.starts()
    plan(kafka_cli, job, "--to-offset", "3")
    with monkeypatch.context() as patched:
        patched.setattr("coordstream.cli.rewind.applied_requests.write_missing", write_and_notice_the_other_writer)
        assert "Another writer." in kafka_cli.refused("rewind", "apply", PLAN, "--yes", "--json")
    assert job.starts() == {0: ("startpoint", "3"), 1: ("startpoint", "3")}
    assert kafka_cli("rewind", "undo", UNDO, "--yes").code == 0
    assert job.starts() == before


def test_a_refused_undo_of_checkpoints_does_not_count_as_an_undo(kafka_cli: CommandLine, job: RewindableJob) -> None:
    job.set_config({"task.commit.ms": "1"})  # so that it appears to be stopped
    plan(kafka_cli, job, "--to-offset", "0", "--task", "Partition 1")
    assert kafka_cli("rewind", "apply", PLAN, "--checkpoints", "--yes").code == 0
    job.commit(1, 7)
    changed = "The checkpoint of task 'Partition 1' was changed by another writer"
    for command in (("undo", UNDO), ("apply", PLAN, "--checkpoints", "--json")):
        assert changed in kafka_cli.refused("rewind", *command, "--yes")
