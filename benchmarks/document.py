"""The document with all figures: a section for each part, so that one part can be measured alone."""

from collections.abc import Mapping
from typing import Final

from benchmarks.markdown import Lines

_TITLE: Final = "# Benchmarks"
_INTRODUCTION: Final = "Written by `make bench`. A share of a goal above 1 means that the goal was missed."
_MARK: Final = "## "


def renewed(document: str, order: Mapping[str, str], measured: Mapping[str, Lines]) -> str:
    """The document with the measured sections in place of the old ones.

    ``order`` has the title of each part there can be; what stands under other titles is dropped.
    """
    old = _sections(document)
    new = {order[part]: "\n".join(lines) for part, lines in measured.items()}
    sections = {title: new.get(title, old.get(title)) for title in order.values()}
    written = [f"{_MARK}{title}\n\n{text}" for title, text in sections.items() if text is not None]
    return "\n\n".join([_TITLE, _INTRODUCTION, *written]) + "\n"


def _sections(document: str) -> dict[str, str]:
    """By title."""
    parts = f"\n{document}".split(f"\n{_MARK}")[1:]
    titled = (part.partition("\n") for part in parts)
    return {title: text.strip() for title, _, text in titled}
