"""Partitions of a job's inputs, how Samza writes them as text, and the order of names with numbers."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NewType

from eventlog.errors import Reason, WireError

_NUMBER: Final = re.compile(r"([0-9]+)")


def natural_order(name: str) -> tuple[list[tuple[int, str]], str]:
    """A key to sort names by, which compares their numbers by value. Only the digits 0 to 9 make a number."""
    texts_and_numbers = _NUMBER.split(name)  # by turns
    parts = [_value(part) if at % 2 else (0, part) for at, part in enumerate(texts_and_numbers)]
    return parts, name


def _value(digits: str) -> tuple[int, str]:
    """Sorts as the number does, which may be longer than ``int`` accepts."""
    significant = digits.lstrip("0")
    return len(significant), significant


TaskName = NewType("TaskName", str)

NO_KEY_BUCKET: Final = -1
_MOST_READ: Final = 200_000
"""Dots of a startpoint's key times its characters, above which it is not read: each reading copies the text."""

_INTEGER: Final = re.compile(r"[+-]?\d+")
_WRITTEN_INTEGER: Final = re.compile(r"0|-?[1-9][0-9]{0,9}")
INT32: Final = range(-(2**31), 2**31)
INT64: Final = range(-(2**63), 2**63)


def is_int_within(bounds: range, value: object) -> bool:
    """Whether a value is an ``int`` within bounds. ``in`` compares each number of a range with what is no ``int``."""
    return type(value) is int and bounds.start <= value < bounds.stop


@dataclass(frozen=True, slots=True, order=True)
class SystemStreamPartition:
    """One partition of one stream of one system; ``key_bucket`` is -1 if a task reads the whole partition."""

    system: str
    stream: str
    partition: int
    key_bucket: int = NO_KEY_BUCKET

    @classmethod
    def parse(cls, text: str) -> "SystemStreamPartition":
        """Read ``system.stream.partition``, split at the first and the last dot (Samza's ``Util.stringToSsp``).

        A stream name may contain dots, a system name may not. Raises `WireError` (``bad_partition``).
        """
        return _parse_partition(text)

    def __str__(self) -> str:
        return f"{self.system}.{self.stream}.{self.partition}"

    def label(self) -> str:
        """As Java's ``toString``: the key in V1 checkpoints, and the task name of some groupers."""
        bucket = "" if self.key_bucket == NO_KEY_BUCKET else f", {self.key_bucket}"
        return f"SystemStreamPartition [{self.system}, {self.stream}, {self.partition}{bucket}]"


@dataclass(frozen=True, slots=True)
class StartpointKey:
    """A startpoint's partition and task; ``task_name`` None: every task that reads the partition."""

    partition: SystemStreamPartition
    task_name: TaskName | None = None

    def __str__(self) -> str:
        return str(self.partition) if self.task_name is None else f"{self.partition}.{self.task_name}"


def parse_int32(text: str, reason: Reason, field: str) -> int:
    """Read a number as Java's ``Integer.parseInt`` does: an optional sign, digits, 32 bits."""
    return _parse_integer(text, INT32, reason, field)


def parse_int64(text: str, reason: Reason, field: str) -> int:
    """Read a number as Java's ``Long.parseLong`` does: an optional sign, digits, 64 bits."""
    return _parse_integer(text, INT64, reason, field)


def startpoint_key_readings(text: str) -> tuple[StartpointKey, ...]:
    """All possible meanings of a startpoint's key: ``system.stream.partition``, with or without ``.task`` after it.

    Stream and task names may contain dots: ``k.s.1.2`` is partition 2 of ``s.1``, or partition 1 of ``s`` for
    task ``2``. The meaning without a task is first, then those with the longest stream name. Empty if there is none,
    or if there can be so many that they take megabytes. Samza compares keys as texts, so ``k.s.01`` is not a key of
    partition 1.
    """
    parts = text.split(".")
    if len(parts) * len(text) > _MOST_READ:
        return ()
    whole = (
        [StartpointKey(SystemStreamPartition.parse(text))] if len(parts) >= 3 and _is_partition_id(parts[-1]) else []
    )
    with_task = (_with_task(parts, at) for at in range(len(parts) - 2, 1, -1) if _is_partition_id(parts[at]))
    return (*whole, *(reading for reading in with_task if reading.task_name))


def _with_task(parts: list[str], at: int) -> StartpointKey:
    partition = SystemStreamPartition(parts[0], ".".join(parts[1:at]), int(parts[at]))
    return StartpointKey(partition, TaskName(".".join(parts[at + 1 :])))


@lru_cache(maxsize=65536)
def _parse_partition(text: str) -> SystemStreamPartition:
    system, first_dot, rest = text.partition(".")
    stream, last_dot, number = rest.rpartition(".")
    if not first_dot or not last_dot:
        raise WireError("bad_partition", "a partition is not written as system.stream.partition")
    return SystemStreamPartition(system, stream, parse_int32(number, "bad_partition", "the partition's number"))


def _is_partition_id(text: str) -> bool:
    return _WRITTEN_INTEGER.fullmatch(text) is not None and int(text) in INT32


def _parse_integer(text: str, limits: range, reason: Reason, field: str) -> int:
    if not _INTEGER.fullmatch(text):
        raise WireError(reason, f"{field} is not an integer")
    try:
        number = int(text)
    except ValueError as error:  # more digits than Python reads
        raise WireError(reason, f"{field} is too large") from error
    if number not in limits:
        raise WireError(reason, f"{field} is too large")
    return number
