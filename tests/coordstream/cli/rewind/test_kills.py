"""An apply or undo that is killed between any two of its writes, and run again."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from coordstream.cli import main
from eventlog.kafka.log import KafkaEventLog
from managers import appending
from tests.acceptance.torture import scaled
from tests.coordstream.command_line import CHECKOUT, CommandLine
from tests.coordstream.rewindable_job import NEVER_RUNNING, RewindableJob
from tests.fixtures.kafka_topics import Topics

pytestmark = [pytest.mark.torture, pytest.mark.kafka]

TASKS: Final = 3
WRITES: Final = 2 * (3 + TASKS)
"""Steps of a command: before and after each write, of which three make the file."""
STEPS: Final = scaled((9,), range(1, WRITES + 2))


class Killed(BaseException):
    """Ends a command as a kill would, at a step."""


class Steps:
    """Counts what a command writes, before and after each write, and ends it at one of these steps."""

    def __init__(self, end_at: int, end: Callable[[], None]) -> None:
        self.count = 0
        self._end_at = end_at
        self._end = end

    def take(self, write: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **named: Any) -> Any:
            self._step()
            done = write(*args, **named)
            self._step()
            return done

        return counted

    def _step(self) -> None:
        self.count += 1
        if self.count == self._end_at:
            self._end()


@contextmanager
def ending_at(step: int, end: Callable[[], None]) -> Iterator[Steps]:
    """Count the writes of files and logs, each event in an append of its own."""
    steps = Steps(step, end)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(appending, "PART_EVENTS", 1)
        patch.setattr(KafkaEventLog, "append", steps.take(KafkaEventLog.append))
        patch.setattr(os, "fsync", steps.take(os.fsync))
        patch.setattr(Path, "hardlink_to", steps.take(Path.hardlink_to))
        patch.setattr(Path, "replace", steps.take(Path.replace))
        yield steps


def raise_killed() -> None:
    raise Killed


@pytest.fixture
def job(topics: Topics, job_name: str) -> RewindableJob:
    made = RewindableJob(topics, job_name, partitions=TASKS, config=NEVER_RUNNING)
    for partition in range(TASKS):
        made.produce(partition, 20)
        made.commit(partition, 14, time=1_000_000)
    return made


@pytest.mark.parametrize("options", [(), ("--checkpoints",)], ids=["startpoints", "checkpoints"])
def test_a_second_run_ends_right(kafka_cli: CommandLine, job: RewindableJob, options: tuple[str, ...]) -> None:
    before = job.starts()
    for number, step in enumerate(STEPS):
        plan, undo = f"plan-{number}.json", f"plan-{number}.undo.json"
        assert kafka_cli("rewind", "plan", job.name, "--to-offset", str(number % 10), "-o", plan).code == 0
        is_killed = killed_at(step, "apply", plan, *options)
        assert kafka_cli("rewind", "apply", plan, "--yes", *options).code == 0
        assert {offset for _, offset in job.starts().values()} == {str(number % 10)}
        is_killed = killed_at(step, "undo", undo) and is_killed
        finished = kafka_cli("rewind", "undo", undo, "--yes")
        assert (finished.code, finished.err) == (0, "")
        assert {partition: offset for partition, (_, offset) in job.starts().items()} == offsets(before)
        assert is_killed is (step <= WRITES)


def test_an_interrupted_apply_can_be_undone(kafka_cli: CommandLine, job: RewindableJob) -> None:
    before = job.starts()
    assert kafka_cli("rewind", "plan", job.name, "--to-earliest", "-o", "plan.json").code == 0
    assert killed_at(WRITES - 2, "apply", "plan.json")
    assert job.starts() not in (before, dict.fromkeys(range(TASKS), ("startpoint", "0")))
    assert kafka_cli("rewind", "undo", "plan.undo.json", "--yes").out == f"Undone: {TASKS - 1} startpoints written.\n"
    assert job.starts() == before


@pytest.mark.parametrize(
    ("options", "left"),
    [((), "1 startpoint"), (("--checkpoints",), "1 checkpoint")],
    ids=["startpoints", "checkpoints"],
)
def test_a_dry_run_after_an_interrupted_apply_writes_nothing(
    kafka_cli: CommandLine, job: RewindableJob, options: tuple[str, ...], left: str
) -> None:
    assert kafka_cli("rewind", "plan", job.name, "--to-earliest", "-o", "plan.json").code == 0
    assert killed_at(WRITES - 2, "apply", "plan.json", *options)
    before = job.starts()
    dry_run = ("rewind", "apply", "plan.json", "--dry-run", *options)
    message = f"Nothing was written (dry run). The plan was applied in part: {left} to write."
    assert kafka_cli.done(*dry_run).splitlines()[-1] == message
    assert job.starts() == before
    assert kafka_cli("rewind", "apply", "plan.json", "--yes", *options).out.splitlines()[-1] == f"{left} written."
    assert kafka_cli.done(*dry_run).splitlines()[-1] == "Nothing to write: the plan is already applied."


def offsets(starts: Mapping[int, tuple[str, str | None]]) -> dict[int, str | None]:
    return {partition: offset for partition, (_, offset) in starts.items()}


def killed_at(step: int, *words: str) -> bool:
    """Whether a command came to a step, at which it is killed."""
    return scaled(ended_at, killed_in_own_process)(step, *words)


def ended_at(step: int, *words: str) -> bool:
    with ending_at(step, raise_killed):
        try:
            assert main(["rewind", *words, "--yes"]) == 0
        except Killed:
            return True
    return False


def killed_in_own_process(step: int, *words: str) -> bool:
    program = f"import sys; sys.path.insert(0, {str(CHECKOUT)!r}); from {__name__} import kill_at; kill_at()"
    ended = subprocess.run([sys.executable, "-c", program, str(step), *words], capture_output=True, check=False)
    assert ended.returncode in (0, -signal.SIGKILL), ended.stderr
    return ended.returncode != 0


def kill_at() -> None:
    """Run a command in this process, and kill it at a step: the arguments of the process."""
    with ending_at(int(sys.argv[1]), lambda: os.kill(os.getpid(), signal.SIGKILL)):
        sys.exit(main(["rewind", *sys.argv[2:], "--yes"]))
