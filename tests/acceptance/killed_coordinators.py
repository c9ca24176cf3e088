"""Coordinators of jobs on Kafka that are killed at a random time of their start, and successors that take over.

``python -m tests.acceptance.killed_coordinators SEED FOLDER JOB…``: the folder has each job's config. The first job is
not disturbed. Prints a line of JSON for each of the others. The settings are in the environment.
"""

import json
import os
import random
import signal
import sys
import time
import traceback
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import kafka  # noqa: F401 (loaded once, not in each process)
import uvicorn  # noqa: F401

from coordstream.cli import main
from coordstream.cli.coordinator import run as command  # noqa: F401
from tests.fixtures.waiting import wait_until

STARTED: Final = "Coordinating "


class Coordinator:
    """`coordstream coordinator run` in a process of its own, with its output in a file."""

    def __init__(self, folder: Path, job: str, role: str, *words: str) -> None:
        self._output = folder / f"{job}.{role}"
        self._output.touch()
        self.process = os.fork()
        if self.process == 0:
            self._run(["coordinator", "run", job, "--config", str(folder / f"{job}.properties"), *words])

    @property
    def said(self) -> str:
        """What it has printed."""
        return self._output.read_text()

    def has_started(self) -> bool:
        """Whether the start is complete. Raises AssertionError if the process failed."""
        if STARTED in self.said:
            return True
        ended, status = os.waitpid(self.process, os.WNOHANG)
        assert ended == 0, f"the start ended with status {status}: {self.said}"
        return False

    def end(self, number: signal.Signals) -> int:
        """Send a signal, and wait for the process. Returns its exit code, negative if a signal ended it."""
        os.kill(self.process, number)
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])

    def _run(self, words: list[str]) -> None:
        code = 1
        try:
            out = os.open(self._output, os.O_WRONLY)
            os.dup2(out, 1)
            os.dup2(out, 2)
            code = main(words)
        except BaseException:
            traceback.print_exc()  # os._exit would hide it
        finally:
            os._exit(code)


@dataclass
class Kill:
    """A coordinator that was killed. ``overlaps``: two processes coordinated the job at the same time."""

    job: str
    seconds: float
    had_started: bool
    overlaps: bool
    victim_code: int
    exit_code: int
    """That of its successor, after SIGTERM."""


def kill(folder: Path, job: str, seconds: float, number: signal.Signals, *, waits: bool) -> Kill:
    """End a coordinator after some seconds; its successor starts before that if it ``waits``, else after it."""
    victim = Coordinator(folder, job, "victim")
    time.sleep(seconds)
    code = 0 if waits else victim.end(number)
    successor = Coordinator(folder, job, "successor", "--wait")
    wait_until(lambda: successor.said, what="the successor to wait or start")
    overlaps = waits and STARTED in victim.said and STARTED in successor.said
    code = victim.end(number) if waits else code
    wait_until(successor.has_started, what="the successor to start")
    return Kill(job, seconds, STARTED in victim.said, overlaps, code, successor.end(signal.SIGTERM))


def seconds_of_start(folder: Path, job: str) -> float:
    """How long a start takes that nothing disturbs."""
    began = time.monotonic()
    coordinator = Coordinator(folder, job, "undisturbed")
    wait_until(coordinator.has_started, what="the start")
    seconds = time.monotonic() - began
    assert coordinator.end(signal.SIGTERM) == 0
    return seconds


def kill_all(seed: int, folder: Path, jobs: list[str]) -> None:
    """Start the first job, and kill the coordinators of the others."""
    chance = random.Random(seed)
    longest = seconds_of_start(folder, jobs[0])
    for number, job in enumerate(jobs[1:]):
        ended_by = signal.SIGTERM if number % 3 == 2 else signal.SIGKILL
        found = kill(folder, job, chance.uniform(0, longest), ended_by, waits=number % 2 == 1)
        print(json.dumps(asdict(found)), flush=True)


if __name__ == "__main__":
    kill_all(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
