"""`coordstream rewind`, on the topics of a real broker."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from coordstream.cli import main
from eventlog.events import NewEvent
from eventlog.kafka.log import KafkaEventLog
from eventlog.kafka.options import KafkaOptions
from eventlog.log import system_clock
from eventlog.startpoint import StartpointOldest, StartpointSpecific
from eventlog.streams import identify
from eventlog.timestamps import ms_of
from managers import wrapped_logs
from tests.builders import startpoint, task_partition
from tests.coordstream.command_line import CHECKOUT, CommandLine
from tests.coordstream.rewindable_job import DELETED, NEVER_RUNNING, UNREACHABLE, RewindableJob
from tests.fixtures.kafka_topics import Topics

PLAN = "plan.json"
UNDO = "plan.undo.json"


@pytest.fixture
def job(topics: Topics, job_name: str) -> RewindableJob:
    """A stopped job with 20 records in both partitions, of which its tasks have processed 15 and 10."""
    made = RewindableJob(topics, job_name)
    made.produce(0, 20, time=1_000_000)
    made.produce(1, 20, time=2_000_000)
    made.commit(0, 14, time=1_000_000)
    made.commit(1, 9, time=1_000_000)
    return made


def moves(cli: CommandLine, job: RewindableJob, *words: str) -> list[tuple[object, ...]]:
    Path(PLAN).unlink(missing_ok=True)
    finished = cli("rewind", "plan", job.name, *words, "--json", "-o", PLAN)
    assert finished.code == 0, finished.err
    columns = ("partition_id", "from_offset", "to_offset", "records_again", "records_skipped", "finding")
    return [tuple(row[column] for column in columns) for row in finished.json]


def plan(cli: CommandLine, job: RewindableJob, *words: str) -> None:
    assert cli("rewind", "plan", job.name, *words, "-o", PLAN).code == 0


def refused(cli: CommandLine, job: RewindableJob, *words: str) -> str:
    """The message of an `apply` that must fail and change nothing."""
    ends = job.ends()
    message = cli.refused("rewind", "apply", PLAN, "--yes", "--json", *words)
    assert job.ends() == ends
    assert not Path(UNDO).exists()
    return message


def test_a_truncated_input(kafka_cli: CommandLine, job: RewindableJob, topics: Topics) -> None:
    topics.delete_before(job.input, 6)
    task = ("--task", "Partition 0")
    assert moves(kafka_cli, job, "--to-offset", "2", *task) == [(0, 15, 6, 9, 0, "before_oldest")]
    assert moves(kafka_cli, job, "--to-datetime", "1970-01-01T00:00Z", *task) == [(0, 15, 6, 9, 0, "before_oldest")]
    finished = kafka_cli("rewind", "plan", job.name, "--to-offset", "2", *task)
    assert "warning: The target is before the oldest record" in finished.err


def test_offsets_from_a_file(kafka_cli: CommandLine, job: RewindableJob) -> None:
    then = Path("then.properties")
    then.write_text(kafka_cli.done("checkpoint", "write", job.name))
    job.commit(0, 19)
    assert moves(kafka_cli, job, "--from-file", "then.properties") == [(0, 20, 15, 5, 0, None), (1, 10, 10, 0, 0, None)]
    then.write_text(then.read_text().replace("Partition 1", "Partition 8"))
    message = kafka_cli.refused("rewind", "plan", job.name, "--from-file", "then.properties")
    assert message.startswith(f"Task 'Partition 8' does not read kafka.{job.input}.1.")


def test_where_each_task_stood_when_a_run_began(kafka_cli: CommandLine, job: RewindableJob) -> None:
    now = ms_of(system_clock())
    job.begin_run(1, now + 1000)
    job.begin_run(2, now + 3000)
    for partition, offset, at in ((0, 4, 1500), (1, 2, 2000), (0, 12, 4000)):
        job.commit(partition, offset, time=now + at)
    job.follow(kafka_cli)
    assert moves(kafka_cli, job, "--to-run", "2") == [(0, 13, 5, 8, 0, None), (1, 3, 3, 0, 0, None)]
    ((number,),) = kafka_cli.ask("select deployment_number from coordinator.config_deployment where run_number = 2")
    assert moves(kafka_cli, job, "--to-deployment", str(number)) == [(0, 13, 5, 8, 0, None), (1, 3, 3, 0, 0, None)]
    unknown = kafka_cli.refused("rewind", "plan", job.name, "--to-deployment", "99")
    assert unknown == f"Job {job.name}/1 has no deployment 99. It has deployments 1 to {number}."


def test_startpoints_are_written_and_undone(kafka_cli: CommandLine, job: RewindableJob) -> None:
    before = job.starts()
    plan(kafka_cli, job, "--to-offset", "3")
    applied = kafka_cli("rewind", "apply", PLAN, "--yes")
    assert applied.code == 0
    assert f"2 startpoints written. {job.name}/1 starts there if it starts before " in applied.out
    assert job.starts() == {0: ("startpoint", "3"), 1: ("startpoint", "3")}
    for more in ((), ("--undo-file", "other.json")):
        again = kafka_cli.refused("rewind", "apply", PLAN, "--yes", "--json", *more)
        assert "has changed since the plan" in again
    assert "confirmation needs a terminal" in kafka_cli.refused("rewind", "undo", UNDO)
    assert kafka_cli.rows("rewind", "undo", UNDO, "--yes") == [
        {"job_name": job.name, "job_id": "1", "undo_file": UNDO, "written": 2}
    ]
    assert job.starts() == before
    ends = job.ends()
    assert kafka_cli.done("rewind", "undo", UNDO, "--yes") == "Nothing to write: the rewind is undone.\n"
    assert job.ends() == ends
    job.follow(kafka_cli)
    steps = "select status, startpoint_value from coordinator.startpoint_history order by log_offset"
    assert kafka_cli.ask(steps) == [("requested", "3")] * 2 + [("deleted", "3")] * 2


def test_checkpoints_of_a_stopped_job_are_written_and_undone(kafka_cli: CommandLine, job: RewindableJob) -> None:
    before = job.starts()
    plan(kafka_cli, job, "--to-offset", "0", "--task", "Partition 1")
    assert kafka_cli("rewind", "apply", PLAN, "--checkpoints", "--yes").code == 0
    assert job.starts() == {0: ("checkpoint", "15"), 1: ("checkpoint", "0")}
    again = kafka_cli.refused("rewind", "apply", PLAN, "--checkpoints", "--yes", "--json", "--undo-file", "other.json")
    assert again.startswith(f"The checkpoint of kafka.{job.input}.1 of task 'Partition 1' was 9")
    assert kafka_cli.done("rewind", "undo", UNDO, "--yes") == "Undone: 1 checkpoint restored.\n"
    assert job.starts() == before
    assert kafka_cli.done("rewind", "undo", UNDO, "--yes") == "Nothing to write: the rewind is undone.\n"


def test_an_apply_that_is_killed_can_be_undone(
    kafka_cli: CommandLine, topics: Topics, job_name: str, tmp_path: Path
) -> None:
    job = RewindableJob(topics, job_name, partitions=3, config=NEVER_RUNNING)
    for partition in range(3):
        job.produce(partition, 20)
        job.commit(partition, 14, time=1_000_000)
    before = job.starts()
    for options, decided_by, done in ((), "startpoint", "deleted"), (("--checkpoints",), "checkpoint", "restored"):
        planned = tmp_path / f"{decided_by}.json"
        assert kafka_cli("rewind", "plan", job.name, "--to-offset", "3", "-o", planned).code == 0
        killed_after(2, "apply", str(planned), *options)
        assert list(job.starts().values()).count((decided_by, "3")) == 2
        undone = kafka_cli("rewind", "undo", planned.with_suffix(".undo.json"), "--yes")
        assert (undone.code, undone.out) == (0, f"Undone: 2 {decided_by}s {done}.\n")
        assert job.starts() == before


def killed_after(appends: int, *words: str) -> None:
    """Run a command in its own process, which appends one event at a time, and is killed after some appends."""
    program = f"import sys; sys.path.insert(0, {str(CHECKOUT)!r}); from {__name__} import kill_after; kill_after()"
    ended = subprocess.run([sys.executable, "-c", program, str(appends), *words], capture_output=True, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr


def kill_after() -> None:
    """Run the command of this process's arguments."""
    wrapped_logs.PART_EVENTS = 1  # type: ignore[misc]
    append, done = KafkaEventLog.append, list[range]()

    def counted(log: KafkaEventLog, *arguments: Any, **named: Any) -> range:
        done.append(append(log, *arguments, **named))
        if len(done) == int(sys.argv[1]):
            os.kill(os.getpid(), signal.SIGKILL)
        return done[-1]

    KafkaEventLog.append = counted  # type: ignore[method-assign, assignment]
    main(["rewind", *sys.argv[2:], "--yes"])


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
    other = startpoint(f"kafka.{job.input}.0.Partition 0", StartpointSpecific("7", ms_of(system_clock())))
    plan(kafka_cli, job, "--to-offset", "3")
    with another_writer(job.coordinator, lambda: topics.write(job.coordinator, [other])):
        finished = kafka_cli("rewind", "apply", PLAN, "--yes", "--json")
    assert finished.code == 1
    assert "The new startpoints were written after that." in finished.err
    assert f"To undo: coordstream rewind undo {UNDO}" in finished.err
    assert job.starts() == {0: ("startpoint", "3"), 1: ("startpoint", "3")}
    assert kafka_cli("rewind", "undo", UNDO, "--yes").code == 0
    assert job.starts() == {0: ("startpoint", "7"), 1: ("checkpoint", "10")}


def test_checkpoints_written_beside_another_writer_can_be_undone(kafka_cli: CommandLine, job: RewindableJob) -> None:
    job.set_config(NEVER_RUNNING)
    before = job.starts()
    plan(kafka_cli, job, "--to-offset", "3")
    with another_writer(job.checkpoints, lambda: job.commit(1, 16)):
        finished = kafka_cli("rewind", "apply", PLAN, "--checkpoints", "--yes", "--json")
    assert finished.code == 1
    assert "Another writer wrote a checkpoint of task 'Partition 1'" in finished.err
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
    assert "was created again" in refused(kafka_cli, job)
    assert "was created again" in kafka_cli.refused("rewind", "undo", "applied.json", "--yes")


def test_a_plan_is_refused_if_the_job_has_changed(kafka_cli: CommandLine, job: RewindableJob, topics: Topics) -> None:
    plan(kafka_cli, job, "--to-offset", "3", "--task", "Partition 0")
    Path("other.json").touch()
    assert "File 'other.json' exists." in refused(kafka_cli, job, "--undo-file", "other.json")
    job.commit(1, 3)
    job.commit(0, 16)
    assert kafka_cli("rewind", "apply", PLAN, "--dry-run").code == 0, "a running job goes on"
    assert "was 14 when the plan was made, and now is 16." in refused(kafka_cli, job, "--checkpoints", "--force")
    job.commit(0, 9)
    assert "was 14 when the plan was made, and now is 9." in refused(kafka_cli, job)
    job.commit(0, 14)
    topics.delete_before(job.input, 5)
    assert refused(kafka_cli, job) == f"The input no longer has offset 3 of kafka.{job.input}.0. Make a new plan."
    topics.write(job.coordinator, [startpoint(f"kafka.{job.input}.0", StartpointOldest(ms_of(system_clock())))])
    plan_of_startpoint = ("rewind", "plan", job.name, "--to-offset", "6", "--task", "Partition 0", "-o", "new.json")
    assert kafka_cli(*plan_of_startpoint).code == 0
    topics.write(job.coordinator, [startpoint(f"kafka.{job.input}.0", StartpointSpecific("7", ms_of(system_clock())))])
    assert "has changed since the plan" in kafka_cli.refused("rewind", "apply", "new.json", "--yes", "--json")


@pytest.mark.parametrize("kind", [(), ("--checkpoints", "--force")])
def test_a_plan_is_refused_if_its_inputs_cannot_be_reached_or_lack_its_offsets(
    kafka_cli: CommandLine, job: RewindableJob, topics: Topics, kind: Sequence[str]
) -> None:
    plan(kafka_cli, job, "--to-offset", "3", "--task", "Partition 1")
    assert UNREACHABLE in refused(kafka_cli, job, *kind, "--input-bootstrap-servers", "127.0.0.1:1")
    topics.delete(job.input)
    topics.create(job.input, DELETED)
    assert f"The input has no kafka.{job.input}.1" in refused(kafka_cli, job, *kind)
    topics.grow(job.input, 2)
    job.produce(1, 2)
    gone = f"The input no longer has offset 3 of kafka.{job.input}.1."
    assert gone in refused(kafka_cli, job, *kind), "the input ends before it"


def test_a_plan_is_refused_if_the_job_would_not_follow_it(
    kafka_cli: CommandLine, job: RewindableJob, topics: Topics
) -> None:
    plan(kafka_cli, job, "--to-offset", "3", "--task", "Partition 0")
    job.set_config({"job.startpoint.enabled": "false"})
    assert refused(kafka_cli, job).startswith("The job ignores startpoints: job.startpoint.enabled is not true.")
    job.set_config({f"systems.kafka.streams.{job.input}.samza.reset.offset": "true"})
    assert "would not start at offset 3: the reset decides" in refused(kafka_cli, job, "--checkpoints")
    job.commit(0, 14)
    assert "appears to be running" in refused(kafka_cli, job, "--checkpoints")
    job.set_config({"task.checkpoint.read.versions": "first"})
    assert refused(kafka_cli, job).startswith("The job's checkpoints are unknown: Invalid value of task.checkpoint")
    topics.write(job.coordinator, [task_partition(f"kafka.{job.input}.0", "Partition 7")])
    assert refused(kafka_cli, job).startswith(f"Task 'Partition 0' does not read kafka.{job.input}.0.")


def test_an_undo_after_a_start_needs_force(kafka_cli: CommandLine, job: RewindableJob) -> None:
    plan(kafka_cli, job, "--to-offset", "3")
    kafka_cli("rewind", "apply", PLAN, "--yes")
    job.start()
    job.commit(0, 5)
    job.consume(0)
    assert job.starts() == {0: ("checkpoint", "6"), 1: ("startpoint", "3")}
    too_late = kafka_cli.refused("rewind", "undo", UNDO, "--yes", code=3)
    assert too_late.startswith("Too late to undo: the job has started from the startpoint request")
    assert kafka_cli("rewind", "undo", UNDO, "--yes", "--force").code == 0
    assert job.starts() == {0: ("startpoint", "15"), 1: ("startpoint", "10")}


@pytest.mark.parametrize(("kind", "code", "reason"), [((), 1, "was changed"), (("--checkpoints",), 3, "written again")])
def test_an_undo_is_refused_if_another_writer_has_changed_what_was_written(
    kafka_cli: CommandLine, job: RewindableJob, topics: Topics, kind: Sequence[str], code: int, reason: str
) -> None:
    job.set_config(NEVER_RUNNING)
    plan(kafka_cli, job, "--to-earliest")
    assert kafka_cli("rewind", "apply", PLAN, "--yes", *kind).code == 0
    key = f"kafka.{job.input}.0.Partition 0"
    topics.write(job.coordinator, [startpoint(key, StartpointOldest(ms_of(system_clock())))])
    job.commit(0, 7)
    ends = job.ends()
    assert reason in kafka_cli.refused("rewind", "undo", UNDO, "--yes", "--json", code=code)
    assert job.ends() == ends
