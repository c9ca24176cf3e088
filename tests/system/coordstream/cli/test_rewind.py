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

from coordstream.cli import change, main
from eventlog.events import NewEvent
from eventlog.kafka.log import KafkaEventLog
from eventlog.kafka.options import KafkaOptions
from eventlog.startpoint import StartpointSpecific
from eventlog.streams import identify
from eventlog.timestamps import current_ms
from managers import wrapped_logs
from tests.builders import startpoint
from tests.checkout import CHECKOUT
from tests.fixtures.coordstream.command_line import CommandLine
from tests.fixtures.coordstream.rewindable_job import RewindableJob
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


def test_where_each_task_stood_when_a_deployment_began(kafka_cli: CommandLine, job: RewindableJob) -> None:
    now = current_ms()
    job.begin_run(1, now + 1000)
    job.begin_run(2, now + 3000)
    for partition, offset, at in ((0, 4, 1500), (1, 2, 2000), (0, 12, 4000)):
        job.commit(partition, offset, time=now + at)
    job.follow(kafka_cli)
    ((number,),) = kafka_cli.ask("select deployment_number from coordinator.config_deployment where run_number = 2")
    assert moves(kafka_cli, job, "--to-deployment", str(number)) == [(0, 13, 5, 8, 0, None), (1, 3, 3, 0, 0, None)]
    assert "Nothing to rewind" in kafka_cli.refused("rewind", "plan", job.name, "--shift-by", "0")
    unknown = kafka_cli.refused("rewind", "plan", job.name, "--to-deployment", "99")
    assert unknown == f"Job {job.name}/1 has no deployment 99. The database knows deployments 1 to {number}."


def test_an_apply_that_is_killed_can_be_undone(
    kafka_cli: CommandLine, topics: Topics, job_name: str, tmp_path: Path
) -> None:
    job = RewindableJob(topics, job_name, partitions=3)
    for partition in range(3):
        job.produce(partition, 20)
        job.commit(partition, 14, time=1_000_000)
    before = job.starts()
    planned = tmp_path / PLAN
    assert kafka_cli("rewind", "plan", job.name, "--to-offset", "3", "-o", planned).code == 0
    killed_after(2, "apply", str(planned))
    assert list(job.starts().values()).count(("startpoint", "3")) == 2
    undone = kafka_cli("rewind", "undo", planned.with_suffix(".undo.json"), "--yes")
    assert undone.out.startswith("Undone: 2 startpoints deleted. ")
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

    def counted(log: KafkaEventLog, events: Sequence[NewEvent], **named: Any) -> range:
        offsets = append(log, events, **named)
        done.extend([offsets] if events else [])
        if len(done) == int(sys.argv[1]):
            os.kill(os.getpid(), signal.SIGKILL)
        return offsets

    KafkaEventLog.append = counted  # type: ignore[method-assign, assignment]
    main(["rewind", *sys.argv[2:], "--yes"])


@contextmanager
def another_writer(stream_name: str, write: Callable[[], object]) -> Iterator[None]:
    """Write something just before the first events are appended to a topic."""
    append, pending = KafkaEventLog.append, [write]

    def append_second(log: KafkaEventLog, events: Sequence[NewEvent], **named: Any) -> range:
        if pending and events and log.stream_name == stream_name:
            pending.pop()()
        return append(log, events, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(KafkaEventLog, "append", append_second)
        yield


def test_startpoints_written_beside_another_writer_can_be_undone(
    kafka_cli: CommandLine, job: RewindableJob, topics: Topics
) -> None:
    other = startpoint(f"kafka.{job.input}.0.Partition 0", StartpointSpecific("7"))
    plan(kafka_cli, job, "--to-offset", "3")
    with another_writer(job.coordinator, lambda: topics.write(job.coordinator, [other])):
        finished = kafka_cli("rewind", "apply", PLAN, "--yes", "--json")
    assert finished.code == 1
    assert "The new startpoints were written after that." in finished.err
    assert f"To undo: coordstream rewind undo {UNDO}" in finished.err
    assert job.starts() == {0: ("startpoint", "3"), 1: ("startpoint", "3")}
    assert kafka_cli("rewind", "undo", UNDO, "--yes").code == 0
    assert job.starts() == {0: ("startpoint", "7"), 1: ("checkpoint", "10")}


def test_a_refusal_needs_no_undo(kafka_cli: CommandLine, job: RewindableJob, monkeypatch: pytest.MonkeyPatch) -> None:
    other = startpoint(f"kafka.{job.input}.0.Partition 0", StartpointSpecific("7"))
    plan(kafka_cli, job, "--to-offset", "3")
    monkeypatch.setattr(change, "confirm", lambda *_, **__: job.topics.write(job.coordinator, [other]))
    assert "Nothing was written." in kafka_cli("rewind", "apply", PLAN).err
    assert not Path(UNDO).exists()


def test_a_plan_is_for_one_coordinator_stream(kafka_cli: CommandLine, job: RewindableJob, topics: Topics) -> None:
    plan(kafka_cli, job, "--to-offset", "3")
    kafka_cli("rewind", "apply", PLAN, "--yes")
    with KafkaEventLog(KafkaOptions(topics.bootstrap_servers), identify(job.coordinator)) as log:
        events = [event for event in log.read() if event.value is not None]
    topics.delete(job.coordinator)
    topics.create(job.coordinator)
    topics.write(job.coordinator, [NewEvent(event.key, event.value) for event in events])
    ends = job.ends()
    for words in ("undo", UNDO), ("apply", PLAN):
        assert "was re-created" in kafka_cli.refused("rewind", *words, "--yes")
        Path(UNDO).unlink(missing_ok=True)
    assert job.ends() == ends
