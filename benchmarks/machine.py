"""The machine of the benchmark, and how busy other processes keep it."""

import os
import platform
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

_STAT: Final = Path("/proc/stat")
LOOK_SECONDS: Final = 2.0
_IDLE, _WAITING = 3, 4


def machine(busy: float | None) -> str:
    """A description with the date; ``busy`` is the share of its cores that was in use before the measurement."""
    others = "unknown" if busy is None else f"{busy:.0%}"
    return (
        f"Measured on {datetime.now(UTC):%Y-%m-%d}. {os.cpu_count()} cores for all processes together, "
        f"Python {platform.python_version()}, {sys.platform}, fsync on; in use by others just before: {others}."
    )


def busy_share(seconds: float = LOOK_SECONDS) -> float | None:
    """The share of the cores in use in the next seconds; None if the system does not report it."""
    if not _STAT.exists():
        return None
    before = _STAT.read_text()
    time.sleep(seconds)
    return busy_between(before, _STAT.read_text())


def busy_between(before: str, after: str) -> float:
    """The share of time that was not idle, by two readings of /proc/stat."""
    idle, total = (new - old for old, new in zip(_idle_and_total(before), _idle_and_total(after), strict=True))
    return 1 - idle / total if total else 0.0


def _idle_and_total(stat: str) -> tuple[int, int]:
    ticks = [int(field) for field in stat.splitlines()[0].split()[1:9]]  # guest time is included in user time
    return ticks[_IDLE] + ticks[_WAITING], sum(ticks)
