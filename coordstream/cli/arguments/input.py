"""The input that an order is for, as it is typed: a stream, one of its partitions, or some."""

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


class GivenInput(NamedTuple):
    """A stream and the partitions of it that are meant, rising; None: all."""

    system: str
    stream: str
    partitions: tuple[int, ...] | None = None

    def __str__(self) -> str:
        whole = f"{self.system}.{self.stream}"
        return whole if self.partitions is None else f"{whole}.{spelled_partitions(self.partitions)}"


def parse_input(word: str, known: Collection[Stream]) -> GivenInput:
    """Read ``SYSTEM.STREAM``, ``SYSTEM.STREAM.3`` or ``SYSTEM.STREAM.0-3,5``; streams may have dots in their names.

    Which of two readings is meant is told by the streams that are known. Where none is, what looks like partitions is.

    Raises:
        typer.BadParameter: it is no such thing, or its partitions are none.
        CoordstreamError: both readings name a stream that is known.
    """
    readings = list(_readings(word, known))
    meant = [reading for reading in readings if (reading.system, reading.stream) in known]
    if len(meant) == 2:
        whole, part = meant
        raise CoordstreamError(
            f"{word!r} is stream {whole.stream} and a partition of {part.stream}: write {whole}.0-N with the number of "
            f"its last partition for the first, {part.system}.{part.stream}.{_as_range(part)} for the second."
        )
    return (meant or readings)[-1]


def spelled_partitions(partitions: Iterable[int]) -> str:
    """Partitions as they are typed: ``0-3,5``."""
    numbers = set(partitions)
    starts = sorted(number for number in numbers if number - 1 not in numbers)
    ends = sorted(number for number in numbers if number + 1 not in numbers)
    return ",".join(
        f"{first}" if first == last else f"{first}-{last}" for first, last in zip(starts, ends, strict=True)
    )


def _readings(word: str, known: Collection[Stream]) -> Iterator[GivenInput]:
    """As a stream, then as a part of one; a known stream may end in what is no range of partitions."""
    system, _, rest = word.partition(".")
    if not system.strip() or not rest.strip():
        raise typer.BadParameter(
            f"{word!r} is no input: write SYSTEM.STREAM, or SYSTEM.STREAM.PARTITION such as kafka.page-views.0-3,5"
        )
    yield GivenInput(system, rest)
    stream, dot, listed = rest.rpartition(".")
    if dot and stream and _PARTITIONS.fullmatch(listed):
        ranges = list(_ranges(listed))
        wrong = next((each for each in ranges if not 0 < len(each) <= MOST_PARTITIONS), None)
        if wrong is None:
            yield GivenInput(system, stream, tuple(sorted(set().union(*ranges))))
        elif (system, rest) not in known:
            raise typer.BadParameter(
                f"partitions {wrong.start}-{wrong.stop - 1}: write the lower first, and at most {MOST_PARTITIONS}"
            )


def _ranges(listed: str) -> Iterator[range]:
    for part in listed.split(","):
        first, _, last = part.partition("-")
        yield range(int(first), int(last or first) + 1)


def _as_range(part: GivenInput) -> str:
    numbers = part.partitions or ()
    is_row = all(after == before + 1 for before, after in pairwise(numbers))
    return f"{numbers[0]}-{numbers[-1]}" if is_row else spelled_partitions(numbers)
