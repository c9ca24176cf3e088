"""Inputs that users type: a stream, or some of its partitions."""

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise
from typing import Final, NamedTuple

import typer

from coordstream.errors import CoordstreamError

MOST_PARTITIONS: Final = 100_000
_PARTITIONS: Final = re.compile(r"[0-9]{1,9}(-[0-9]{1,9})?(,[0-9]{1,9}(-[0-9]{1,9})?)*", re.ASCII)

Stream = tuple[str, str]
"""System and stream."""


class Input(NamedTuple):
    """A stream and some of its partitions, sorted; None: all."""

    system: str
    stream: str
    partitions: tuple[int, ...] | None = None

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
