"""`coordstream rewind apply` and `undo`, on the topics of a real broker."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from coordstream.cli.rewind import applied_requests
from eventlog.events import NewEvent
from eventlog.kafka.log import KafkaEventLog
from eventlog.kafka.options import KafkaOptions
from eventlog.log import system_clock
from eventlog.startpoint import StartpointOldest, StartpointSpecific
from eventlog.streams import identify
from eventlog.timestamps import ms_of
from tests.builders import startpoint, task_partition
from tests.coordstream.command_line import CommandLine
from tests.coordstream.rewindable_job import DELETED, NEVER_RUNNING, UNREACHABLE, RewindableJob
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
    refused = kafka_cli.refused("rewind", "undo", UNDO)
    assert refused == "Nothing was written: confirmation needs a terminal. Use --yes to go on."
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


@contextmanager
def another_writer(stream_name: str, write: Callable[[], object]) -> Iterator[None]:
    """Write something just before the first append to a topic."""
    append, pending = KafkaEventLog.append, [write]

    def append_second(log: KafkaEventLog, *arguments: Any, **named: Any) -> range:
        if pending and log.stream_name == stream_name:
            pending.pop()()
        return append(log, *arguments, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(KafkaEventLog, "append", append_second)
        yield


def test_startpoints_written_beside_another_writer_can_be_undone(
    kafka_cli: CommandLine, job: RewindableJob, topics: Topics
) -> None:
    key = f"kafka.{job.input}.0.Partition 0"
    other = startpoint(key, StartpointSpecific("7", ms_of(system_clock())))
    end = topics.end_offset(job.coordinator)
    plan(kafka_cli, job, "--to-offset", "3")
    with another_writer(job.coordinator, lambda: topics.write(job.coordinator, [other])):
        message = kafka_cli.refused("rewind", "apply", PLAN, "--yes", "--json")
    assert message == (
        f"Another writer changed the startpoint request '{key}' at offset {end}. The new startpoints were written "
        "after that. To undo: coordstream rewind undo plan.undo.json"
    )
    assert job.starts() == {0: ("startpoint", "3"), 1: ("startpoint", "3")}
    assert kafka_cli("rewind", "undo", UNDO, "--yes").code == 0
    assert job.starts() == {0: ("startpoint", "7"), 1: ("checkpoint", "15")}


def test_checkpoints_written_beside_another_writer_can_be_undone(kafka_cli: CommandLine, job: RewindableJob) -> None:
    job.set_config(NEVER_RUNNING)
    before = job.starts()
    plan(kafka_cli, job, "--to-offset", "3")
    with another_writer(job.checkpoints, lambda: job.commit(1, 16)):
        message = kafka_cli.refused("rewind", "apply", PLAN, "--checkpoints", "--yes", "--json")
    assert message == (
        "Another writer wrote a checkpoint of task 'Partition 1' at offset 2. The new checkpoints were written, too. "
        "To undo: coordstream rewind undo plan.undo.json --force"
    )
    assert kafka_cli("rewind", "undo", UNDO, "--yes", "--force").code == 0
    assert job.starts() == before


def test_a_plan_is_for_one_coordinator_stream(kafka_cli: CommandLine, job: RewindableJob, topics: Topics) -> None:
    plan(kafka_cli, job, "--to-offset", "3")
    kafka_cli("rewind", "apply", PLAN, "--yes", "--undo-file", "applied.json")
    with KafkaEventLog(KafkaOptions(topics.bootstrap_servers), identify(job.coordinator)) as log:
        events = [event for event in log.read() if event.value is not None]
    topics.delete(job.coordinator)
    topics.create(job.coordinator)
    topics.write(job.coordinator, [NewEvent(event.key, event.value) for event in events])
    message = f"{job.coordinator} is not the stream that the plan was made from: it was created again, or is in "
    assert refused(kafka_cli, job).startswith(message)
    assert kafka_cli.refused("rewind", "undo", "applied.json", "--yes").startswith(message)


def test_a_refused_undo_of_checkpoints_does_not_count_as_an_undo(kafka_cli: CommandLine, job: RewindableJob) -> None:
    job.set_config({"task.commit.ms": "1"})  # so that it appears to be stopped
    plan(kafka_cli, job, "--to-offset", "0", "--task", "Partition 1")
    assert kafka_cli("rewind", "apply", PLAN, "--checkpoints", "--yes").code == 0
    job.commit(1, 7)
    changed = "The checkpoint of task 'Partition 1' was changed by another writer"
    for command in (("undo", UNDO), ("apply", PLAN, "--checkpoints", "--json")):
        assert changed in kafka_cli.refused("rewind", *command, "--yes")


def refused(cli: CommandLine, job: RewindableJob, *words: str) -> str:
    """The message of an `apply` that must fail and change nothing."""
    ends = job.ends()
    message = cli.refused("rewind", "apply", PLAN, "--yes", "--json", *words)
    assert job.ends() == ends
    assert not Path(UNDO).exists()
    return message


def test_a_plan_is_refused_if_the_job_has_changed(kafka_cli: CommandLine, job: RewindableJob, topics: Topics) -> None:
    plan(kafka_cli, job, "--to-offset", "3", "--task", "Partition 0")
    job.commit(1, 3)
    job.commit(0, 16)
    assert kafka_cli("rewind", "apply", PLAN, "--dry-run").code == 0, "a running job goes on"
    moved = f"kafka.{job.input}.0 of task 'Partition 0' had checkpoint 14 when the plan was made, and now has"
    assert refused(kafka_cli, job, "--checkpoints", "--force") == f"{moved} 16. Make a new plan."
    job.commit(0, 9)
    assert refused(kafka_cli, job) == f"{moved} 9. Make a new plan."
    job.commit(0, 14)
    topics.delete_before(job.input, 5)
    assert refused(kafka_cli, job) == f"The input no longer has offset 3 of kafka.{job.input}.0. Make a new plan."
    key = f"kafka.{job.input}.0"
    (offset,) = topics.write(job.coordinator, [startpoint(key, StartpointOldest(1))])
    changed = f"the startpoint request '{key}' changed at offset {offset}. Make a new plan."
    assert refused(kafka_cli, job) == f"After the plan was made, {changed}"


@pytest.mark.parametrize("kind", [(), ("--checkpoints", "--force")])
def test_a_plan_is_refused_if_its_inputs_cannot_be_reached_or_lack_its_offsets(
    kafka_cli: CommandLine, job: RewindableJob, topics: Topics, kind: Sequence[str]
) -> None:
    plan(kafka_cli, job, "--to-offset", "3", "--task", "Partition 1")
    assert refused(kafka_cli, job, *kind, "--input-bootstrap-servers", "127.0.0.1:1") == UNREACHABLE
    gone = f"The input no longer has offset 3 of kafka.{job.input}.1. Make a new plan."
    topics.delete(job.input)
    assert refused(kafka_cli, job, *kind) == gone
    topics.create(job.input, DELETED)
    assert refused(kafka_cli, job, *kind) == gone, "the partition is gone"
    topics.add_partitions(job.input, 2)
    job.produce(1, 2)
    assert refused(kafka_cli, job, *kind) == gone, "the input ends before it"


def test_a_plan_is_refused_if_the_job_would_not_follow_it(
    kafka_cli: CommandLine, job: RewindableJob, topics: Topics
) -> None:
    plan(kafka_cli, job, "--to-offset", "3", "--task", "Partition 0")
    job.set_config({"job.startpoint.enabled": "false"})
    assert refused(kafka_cli, job).startswith("The job ignores startpoints: job.startpoint.enabled is not true.")
    job.set_config({f"systems.kafka.streams.{job.input}.samza.reset.offset": "true"})
    assert "the config resets the offsets" in refused(kafka_cli, job, "--checkpoints")
    job.commit(0, 14)
    assert "appears to be running" in refused(kafka_cli, job, "--checkpoints")
    topics.write(job.coordinator, [task_partition(f"kafka.{job.input}.0", "Partition 7")])
    message = f"Task 'Partition 0' no longer reads kafka.{job.input}.0. Make a new plan."
    job.set_config({"job.startpoint.enabled": "true"})
    assert refused(kafka_cli, job) == message
    topics.write(job.coordinator, [task_partition(f"kafka.{job.input}.0", "Partition 0")])
    job.set_config({"task.checkpoint.read.versions": "first"})
    assert refused(kafka_cli, job).startswith("The job's checkpoints are unknown: Invalid value of task.checkpoint")


def test_an_undo_after_a_start(kafka_cli: CommandLine, job: RewindableJob) -> None:
    plan(kafka_cli, job, "--to-offset", "3")
    kafka_cli("rewind", "apply", PLAN, "--yes")
    job.start()
    job.commit(0, 5)
    job.consume(0)
    again = kafka_cli("rewind", "apply", PLAN, "--yes")
    assert again.out.splitlines()[-1] == "Nothing to write: the plan is already applied."
    assert job.starts() == {0: ("checkpoint", "6"), 1: ("startpoint", "3")}
    message = kafka_cli.refused("rewind", "undo", UNDO, "--yes")
    assert message.startswith("The job has started from 1 startpoint of the rewind and committed since")
    assert kafka_cli("rewind", "undo", UNDO, "--yes", "--force").code == 0
    assert job.starts() == {0: ("startpoint", "15"), 1: ("startpoint", "15")}


def test_an_undo_continues_after_a_start_just_before_its_first_write(
    kafka_cli: CommandLine, job: RewindableJob
) -> None:
    plan(kafka_cli, job, "--to-offset", "3", "--task", "Partition 0")
    kafka_cli("rewind", "apply", PLAN, "--yes")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(applied_requests, "confirm", lambda *_args, **_named: job.start())
        message = kafka_cli.refused("rewind", "undo", UNDO, "--yes")
    assert message.endswith("Nothing was written. Run `rewind undo` again.")
    assert kafka_cli("rewind", "undo", UNDO, "--yes").code == 0
    assert job.starts() == {0: ("startpoint", "15"), 1: ("checkpoint", "15")}


def test_a_request_of_before_comes_back(kafka_cli: CommandLine, job: RewindableJob, topics: Topics) -> None:
    requested = StartpointSpecific("7", ms_of(system_clock()))
    topics.write(job.coordinator, [startpoint(f"kafka.{job.input}.0.Partition 0", requested)])
    plan(kafka_cli, job, "--to-earliest")
    kafka_cli("rewind", "apply", PLAN, "--yes")
    topics.write(job.coordinator, [startpoint(f"kafka.{job.input}.1", StartpointOldest(1))])
    assert kafka_cli("rewind", "undo", UNDO, "--yes").code == 0
    assert job.starts()[0] == ("startpoint", "7")


def test_an_undo_is_refused_if_another_writer_has_changed_a_request(
    kafka_cli: CommandLine, job: RewindableJob, topics: Topics
) -> None:
    plan(kafka_cli, job, "--to-earliest")
    kafka_cli("rewind", "apply", PLAN, "--yes")
    key = f"kafka.{job.input}.0.Partition 0"
    topics.write(job.coordinator, [startpoint(key, StartpointOldest(ms_of(system_clock())))])
    ends = job.ends()
    message = kafka_cli.refused("rewind", "undo", UNDO, "--yes", "--json")
    assert message.startswith(f"The startpoint request '{key}' was changed by another writer.")
    assert job.ends() == ends


def test_an_undo_file_belongs_to_one_plan(kafka_cli: CommandLine, job: RewindableJob) -> None:
    plan(kafka_cli, job, "--to-earliest")
    kafka_cli("rewind", "apply", PLAN, "--yes")
    assert "begun to write this plan as startpoints" in kafka_cli.refused(
        "rewind", "apply", PLAN, "--checkpoints", "--json"
    )
    Path(PLAN).unlink()
    plan(kafka_cli, job, "--to-latest")
    assert "is the undo file of another plan" in kafka_cli.refused("rewind", "apply", PLAN, "--json")


def test_what_became_of_a_rewind_is_in_sql(kafka_cli: CommandLine, job: RewindableJob) -> None:
    plan(kafka_cli, job, "--to-offset", "3", "--task", "Partition 0")
    kafka_cli("rewind", "apply", PLAN, "--yes")
    kafka_cli("rewind", "undo", UNDO, "--yes")
    job.follow(kafka_cli)
    steps = "select status, startpoint_type, startpoint_value from coordinator.startpoint_history order by log_offset"
    assert kafka_cli.ask(steps) == [("requested", "specific", "3"), ("deleted", "specific", "3")]
