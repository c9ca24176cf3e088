"""Inputs, positions and offsets of tasks as users type them, in commands and in properties files."""

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Final, NamedTuple

import typer

from coordstream.cli.arguments import parse_time, read_given
from coordstream.errors import CoordstreamError
from eventlog.errors import WireError
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import (
    Startpoint,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
    StartpointUpcoming,
)
from eventlog.timestamps import ms_of
from managers.config.property_file import TaskOffsets, decode_file, parse_offsets

MOST_PARTITIONS: Final = 100_000
_PARTITIONS: Final = re.compile(r"[0-9]{1,9}(-[0-9]{1,9})?(,[0-9]{1,9}(-[0-9]{1,9})?)*", re.ASCII)

_NUMBER: Final = re.compile(r"[0-9]+", re.ASCII)

Stream = tuple[str, str]
"""System and stream."""


class Input(NamedTuple):
    """A stream and some of its partitions, sorted; None: all."""

    system: str
    stream: str
    partitions: tuple[int, ...] | None = None

    def includes(self, partition: SystemStreamPartition) -> bool:
        """Whether this is the partition's stream, and the partition is one of these."""
        is_stream = (self.system, self.stream) == (partition.system, partition.stream)
        return is_stream and (self.partitions is None or partition.partition in self.partitions)


def parse_input(word: str, known: Collection[Stream]) -> Input:
    """Parse ``SYSTEM.STREAM``, ``SYSTEM.STREAM.3`` or ``SYSTEM.STREAM.0-3,5``.

    Names of streams may contain dots: a suffix that looks like partitions is one, unless it is part of the name of a
    ``known`` stream. Raises typer.BadParameter: the text is not an input, or its partitions are invalid.
    """
    system, _, rest = word.partition(".")
    if not system.strip() or not rest.strip():
        raise typer.BadParameter(
            f"Invalid input {word!r}. Expected SYSTEM.STREAM or SYSTEM.STREAM.PARTITIONS, "
            "for example kafka.page-views.0-3,5."
        )
    stream, _, listed = rest.rpartition(".")
    if (system, rest) in known or not stream or not _PARTITIONS.fullmatch(listed):
        return Input(system, rest)
    partitions: set[int] = set()
    for part in listed.split(","):
        first, _, last = part.partition("-")
        numbers = range(int(first), int(last or first) + 1)
        if not 0 < len(numbers) <= MOST_PARTITIONS:
            raise typer.BadParameter(
                f"Invalid partitions '{part}'. Use the lower number first, and at most {MOST_PARTITIONS} partitions."
            )
        partitions.update(numbers)
    return Input(system, stream, tuple(sorted(partitions)))


def format_partitions(partitions: Iterable[int]) -> str:
    """Partitions as users type them: ``0-3,5``."""
    numbers = set(partitions)
    starts = sorted(number for number in numbers if number - 1 not in numbers)
    ends = sorted(number for number in numbers if number + 1 not in numbers)
    return ",".join(
        f"{first}" if first == last else f"{first}-{last}" for first, last in zip(starts, ends, strict=True)
    )


def parse_position(text: str, now: datetime) -> Startpoint:
    """Parse ``oldest``, ``upcoming``, an offset, or a time as in `parse_time`. A number is always an offset.

    ``now`` is when the startpoint is created, and what ``2 hours ago`` refers to. Raises `typer.BadParameter`: the text
    is none of these.
    """
    given, created_ms = text.strip(), ms_of(now)
    if given.lower() == StartpointOldest.kind:
        return StartpointOldest(created_ms)
    if given.lower() == StartpointUpcoming.kind:
        return StartpointUpcoming(created_ms)
    if _NUMBER.fullmatch(given):
        return StartpointSpecific(given, created_ms)
    return StartpointTimestamp(ms_of(_time(given, now)), created_ms)


def _time(text: str, now: datetime) -> datetime:
    try:
        return parse_time(text, lambda: now)
    except typer.BadParameter:
        raise typer.BadParameter(
            f"Invalid position {text!r}. Use oldest, upcoming, an offset (a number), or a time "
            '("2 hours ago", 2026-01-31T12:00Z).'
        ) from None


_ASSIGNMENT: Final = re.compile(r"(?P<task>.+?)/(?P<partition>[^/.=]+\.[^=]+\.[0-9]+)=(?P<offset>.+)", re.DOTALL)


def parse_offsets_of_tasks(words: Sequence[str]) -> TaskOffsets:
    """Parse ``TASK/SYSTEM.STREAM.PARTITION=OFFSET`` words; names of tasks may contain slashes.

    Raises `typer.BadParameter`: a word has another form, or a partition has two offsets.
    """
    offsets: dict[str, dict[SystemStreamPartition, str]] = {}
    for word in words:
        task_name, partition, offset = _parse(word)
        if offsets.setdefault(task_name, {}).setdefault(partition, offset) != offset:
            raise typer.BadParameter(f"'{task_name}/{partition}' has two offsets. Use one.")
    return offsets


def read_offsets(name: str) -> TaskOffsets:
    """Read the offsets in a properties file; ``-`` is standard input.

    Raises:
        OSError: The file cannot be read.
        CoordstreamError: It contains no offset.
        CheckpointFileError: A line of the file is invalid.
    """
    place, data = read_given(name)
    offsets = parse_offsets(decode_file(data, place), place, is_strict=True).offsets
    if not offsets:
        raise CoordstreamError(
            f"No offsets in {place}. Use lines in the format that `coordstream checkpoint write JOB` prints."
        )
    return offsets


def _parse(word: str) -> tuple[str, SystemStreamPartition, str]:
    found = _ASSIGNMENT.fullmatch(word)
    try:
        if found is not None:
            return found["task"], SystemStreamPartition.parse(found["partition"]), found["offset"]
    except WireError:
        pass
    raise typer.BadParameter(
        f"Invalid offset {word!r}. Expected TASK/SYSTEM.STREAM.PARTITION=OFFSET, for example "
        "'Partition 0/kafka.page-views.0=42'."
    )
