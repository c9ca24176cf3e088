"""Tables as Markdown, and the format of figures."""

from collections.abc import Iterable, Sequence
from statistics import median

Lines = list[str]


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Lines:
    """A table's lines."""
    lines = (header, ["---"] * len(header), *rows)
    return [f"| {' | '.join(line)} |" for line in lines]


def spread(values: Sequence[float], digits: int = 0) -> str:
    """The median, with the minimum and maximum in brackets."""
    return f"{median(values):,.{digits}f} ({min(values):,.{digits}f} to {max(values):,.{digits}f})"


def percent(share: float | None) -> str:
    """A share of a core."""
    return "unknown" if share is None else f"{share * 100:.1f} %"


def megabytes(size: float | None) -> str:
    """A number of bytes."""
    return "unknown" if size is None else f"{size / 1e6:.0f} MB"
