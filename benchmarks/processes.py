"""What a step costs: time, and the CPU time and peak memory of processes, from Linux's /proc."""

import os
import platform
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from eventlog.postgres.connection import Connection

_TICKS_PER_SECOND: Final = os.sysconf("SC_CLK_TCK")
_PARENT: Final = 1
_OWN_TICKS: Final = (11, 12)
_ENDED_CHILDREN_TICKS: Final = (13, 14)
_NOT_BUSY: Final = slice(3, 5)


class Cost(NamedTuple):
    """Seconds that passed, and CPU seconds of both sides."""

    seconds: float
    client: float
    server: float

    @property
    def cpu(self) -> float:
        """CPU seconds of both sides together."""
        return self.client + self.server


def cost_on(connection: Connection, step: Callable[[], object]) -> Cost:
    """The cost of a step: of this process, and of the connection's backend."""
    backend = connection.info.backend_pid
    return _cost(step, time.process_time, lambda: cpu_seconds(backend))


def cost_of_all(server: Callable[[], float], step: Callable[[], object]) -> Cost:
    """The cost of a step: of this process and its children, such as a JVM; ``server``: CPU time of the other side."""
    return _cost(step, lambda: family_cpu_seconds(os.getpid()), server)


def _cost(step: Callable[[], object], client: Callable[[], float], server: Callable[[], float]) -> Cost:
    client_before, server_before, started = client(), server(), time.perf_counter()
    step()
    seconds = time.perf_counter() - started
    return Cost(seconds, client() - client_before, server() - server_before)


def cpu_seconds(*pids: int) -> float:
    """CPU time of processes so far, including their threads."""
    return sum(_ticks(pid, _OWN_TICKS) for pid in pids) / _TICKS_PER_SECOND


def family_cpu_seconds(root: int) -> float:
    """CPU time so far of a process, of its descendants, and of those of them that have ended."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            children.setdefault(parent_of(int(folder.name)), []).append(int(folder.name))
    family, ticks = [root], 0
    for pid in family:
        with suppress(FileNotFoundError, ProcessLookupError):
            ticks += _ticks(pid, _OWN_TICKS + _ENDED_CHILDREN_TICKS)
        family += children.get(pid, ())
    return ticks / _TICKS_PER_SECOND


def parent_of(pid: int) -> int:
    """The parent process."""
    return int(_stat(pid)[_PARENT])


def peak_bytes(pid: int | str = "self") -> int:
    """The peak memory of a process; getrusage would include its parent."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))


def machine(look_seconds: float = 2.0) -> str:
    """The date, the machine, and how busy other processes keep it in the next seconds."""
    before = _processor_ticks()
    time.sleep(look_seconds)
    ticks = [new - old for old, new in zip(before, _processor_ticks(), strict=True)]
    busy = 1 - sum(ticks[_NOT_BUSY]) / (sum(ticks) or 1)
    return (
        f"Measured on {datetime.now(UTC):%Y-%m-%d}. {os.cpu_count()} cores for all processes together, "
        f"Python {platform.python_version()}, fsync on; in use by others just before: {busy:.0%}."
    )


def _processor_ticks() -> list[int]:
    return [int(field) for field in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]


def _ticks(pid: int, fields: tuple[int, ...]) -> int:
    values = _stat(pid)
    return sum(int(values[field]) for field in fields)


def _stat(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
