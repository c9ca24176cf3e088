"""Inputs, positions and offsets of tasks as users type them, in commands and in property files."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Final, NamedTuple

import typer

from coordstream.cli.arguments import parse_time, read_given
from coordstream.errors import CoordstreamError
from coordstream.times import SECONDS_OF_2001_TO_2099
from eventlog.errors import WireError
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import (
    Startpoint,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
    StartpointUpcoming,
)
from eventlog.timestamps import ms_of, time_of
from managers.config.property_file import TaskOffsets, decode_file, parse_offsets

MOST_PARTITIONS: Final = 100_000
_PARTITIONS: Final = re.compile(r"[0-9]{1,9}(-[0-9]{1,9})?(,[0-9]{1,9}(-[0-9]{1,9})?)*", re.ASCII)

OFFSET: Final = "offset:"
_OTHER_NAMES: Final = {
    **dict.fromkeys(("earliest", "beginning", "smallest"), StartpointOldest.kind),
    **dict.fromkeys(("latest", "end", "newest", "largest"), StartpointUpcoming.kind),
}
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

    def __str__(self) -> str:
        whole = f"{self.system}.{self.stream}"
        return whole if self.partitions is None else f"{whole}.{format_partitions(self.partitions)}"


def parse_input(word: str, known: Collection[Stream]) -> Input:
    """Parse ``SYSTEM.STREAM``, ``SYSTEM.STREAM.3`` or ``SYSTEM.STREAM.0-3,5``.

    Names of streams may contain dots: the ``known`` streams decide between two readings. If neither is known, a suffix
    that looks like partitions is one.

    Raises:
        typer.BadParameter: The text is not an input, or its partitions are invalid.
        CoordstreamError: Both readings name a known stream.
    """
    readings = list(_readings(word, known))
    meant = [reading for reading in readings if (reading.system, reading.stream) in known]
    if len(meant) == 2:
        whole, part = meant
        raise CoordstreamError(
            f"Ambiguous input {word!r}: stream {whole.stream}, or a partition of {part.stream}. Use {whole}.0-N (N is "
            f"its last partition) for the first, or {part.system}.{part.stream}.{_as_range(part)} for the second."
        )
    return (meant or readings)[-1]


def format_partitions(partitions: Iterable[int]) -> str:
    """Partitions as users type them: ``0-3,5``."""
    numbers = set(partitions)
    starts = sorted(number for number in numbers if number - 1 not in numbers)
    ends = sorted(number for number in numbers if number + 1 not in numbers)
    return ",".join(
        f"{first}" if first == last else f"{first}-{last}" for first, last in zip(starts, ends, strict=True)
    )


def _readings(word: str, known: Collection[Stream]) -> Iterator[Input]:
    """The text as a stream, then as partitions of a stream. The name of a known stream may end in an invalid range."""
    system, _, rest = word.partition(".")
    if not system.strip() or not rest.strip():
        raise typer.BadParameter(
            f"Invalid input {word!r}. Expected SYSTEM.STREAM or SYSTEM.STREAM.PARTITIONS, "
            "for example kafka.page-views.0-3,5."
        )
    yield Input(system, rest)
    stream, dot, listed = rest.rpartition(".")
    if dot and stream and _PARTITIONS.fullmatch(listed):
        ranges = list(_ranges(listed))
        invalid = next((each for each in ranges if not 0 < len(each) <= MOST_PARTITIONS), None)
        if invalid is None:
            yield Input(system, stream, tuple(sorted(set().union(*ranges))))
        elif (system, rest) not in known:
            raise typer.BadParameter(
                f"Invalid partitions '{invalid.start}-{invalid.stop - 1}'. Use the lower number first, and at most "
                f"{MOST_PARTITIONS} partitions."
            )


def _ranges(listed: str) -> Iterator[range]:
    for part in listed.split(","):
        first, _, last = part.partition("-")
        yield range(int(first), int(last or first) + 1)


def _as_range(part: Input) -> str:
    numbers = part.partitions or ()
    is_row = all(after == before + 1 for before, after in pairwise(numbers))
    return f"{numbers[0]}-{numbers[-1]}" if is_row else format_partitions(numbers)


def parse_position(text: str, now: datetime) -> Startpoint:
    """Parse ``oldest``, ``upcoming``, an offset (a number, or ``offset:TEXT``), or a time as in `parse_time`.

    A number is always an offset; one that may be meant as a time since 1970 is rejected. ``now`` is when the startpoint
    is created, and what ``2 hours ago`` refers to.

    Raises:
        typer.BadParameter: The text is none of these.
    """
    given, created_ms = text.strip(), ms_of(now)
    if given.lower() == StartpointOldest.kind:
        return StartpointOldest(created_ms)
    if given.lower() == StartpointUpcoming.kind:
        return StartpointUpcoming(created_ms)
    offset = _offset(given)
    if offset is not None:
        return StartpointSpecific(offset, created_ms)
    return StartpointTimestamp(ms_of(_time(given, now)), created_ms)


def format_position(startpoint: Startpoint) -> str | None:
    """The text that `parse_position` parses to this startpoint; None if there is none."""
    match startpoint:
        case StartpointSpecific(str(offset)) if offset:
            is_plain = _NUMBER.fullmatch(offset) and _time_meant(offset) is None
            return offset if is_plain else f"{OFFSET}{offset}"
        case StartpointTimestamp(int(ms)):
            time = time_of(ms)
            return None if time is None else f"{time:%Y-%m-%dT%H:%M:%S}.{ms % 1000:03}Z"
        case StartpointOldest() | StartpointUpcoming():
            return startpoint.kind
    return None


def _offset(text: str) -> str | None:
    if text.startswith(OFFSET) and text != OFFSET:
        return text.removeprefix(OFFSET)
    if not _NUMBER.fullmatch(text):
        return None
    meant = _time_meant(text)
    if meant is not None:
        raise typer.BadParameter(
            f"Ambiguous position {text!r}: an offset that looks like a time. Use {OFFSET}{text} or {meant}."
        )
    return text


def _time_meant(digits: str) -> str | None:
    """The time that a number may stand for, as seconds or milliseconds since 1970."""
    number = int(digits) if len(digits) < 20 else 0
    for seconds in (number, number // 1000):
        if seconds in SECONDS_OF_2001_TO_2099:
            return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}"
    return None


def _time(text: str, now: datetime) -> datetime:
    try:
        return parse_time(text, lambda: now)
    except typer.BadParameter:
        meant = _OTHER_NAMES.get(text.strip().lower())
        hint = f" Did you mean {meant}?" if meant else ""
        raise typer.BadParameter(
            f"Invalid position {text!r}.{hint} Use oldest, upcoming, an offset (a number, or {OFFSET}TEXT), or a time "
            '("2 hours ago", 2026-01-31T12:00Z).'
        ) from None


_ASSIGNMENT: Final = re.compile(r"(?P<task>.+?)/(?P<partition>[^/.=]+\.[^=]+\.[0-9]+)=(?P<offset>.+)", re.DOTALL)


def parse_offsets_of_tasks(words: Sequence[str]) -> TaskOffsets:
    """Parse ``TASK/SYSTEM.STREAM.PARTITION=OFFSET`` words; names of tasks may contain slashes.

    Raises:
        typer.BadParameter: A word has another form, or a partition has two offsets.
    """
    offsets: dict[str, dict[SystemStreamPartition, str]] = {}
    for word in words:
        task_name, partition, offset = _parse(word)
        if offsets.setdefault(task_name, {}).setdefault(partition, offset) != offset:
            raise typer.BadParameter(f"'{task_name}/{partition}' has two offsets. Use one.")
    return offsets


def read_offsets(name: str) -> TaskOffsets:
    """Read the offsets in a property file; ``-`` is standard input.

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
