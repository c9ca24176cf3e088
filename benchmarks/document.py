"""The document with all figures: a section for each part, so that one part can be measured alone."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Final

Lines = list[str]

_TITLE: Final = "# Benchmarks"
_INTRODUCTION: Final = (
    "Written by `make bench`. Each figure stands beside a peer or a limit of the same run: judge by these ratios,\n"
    "because the rates are this machine's. A share of a goal above 1 means that the goal was missed."
)
_MARK: Final = "## "


def renewed(document: str, order: Mapping[str, str], measured: Mapping[str, Lines]) -> str:
    """The document with the measured sections in place of the old ones; ``order`` has the title of each part."""
    parts = (part.partition("\n") for part in f"\n{document}".split(f"\n{_MARK}")[1:])
    sections = {title: text.strip() for title, _, text in parts}
    sections |= {order[part]: "\n".join(lines) for part, lines in measured.items()}
    written = [f"{_MARK}{title}\n\n{sections[title]}" for title in order.values() if title in sections]
    return "\n\n".join([_TITLE, _INTRODUCTION, *written]) + "\n"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Lines:
    """A table's lines in Markdown."""
    return [f"| {' | '.join(line)} |" for line in (header, ["---"] * len(header), *rows)]


def spread(values: Sequence[float], digits: int = 0) -> str:
    """The median, with the minimum and maximum in brackets."""
    return f"{median(values):,.{digits}f} ({min(values):,.{digits}f} to {max(values):,.{digits}f})"


def ratios(above: Sequence[float], below: Sequence[float]) -> list[float]:
    """The ratio of each round."""
    return [one / other for one, other in zip(above, below, strict=True)]
