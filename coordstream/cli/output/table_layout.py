"""Which columns of a table fit a width, and how wide each of them is."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

GAP: Final = 2
"""Blanks between two columns."""

COMFORTABLE: Final = 32
"""A text that may be folded asks for no more before another column is dropped for it."""

LEAST: Final = 12
"""A text is folded at this width before other columns are."""


class Need(NamedTuple):
    """What a column asks for: its widest cell, whether its cells may be folded, and when it is dropped.

    ``drop`` 0: never; else the column with the highest number is dropped first.
    """

    widest: int
    may_fold: bool = True
    drop: int = 0

    @property
    def wanted(self) -> int:
        """The width for which columns of less importance are dropped."""
        return min(self.widest, COMFORTABLE) if self.may_fold else self.widest


def fitted(needs: Sequence[Need], width: int) -> dict[int, int]:
    """The widths of the columns that are shown, by their place among all columns.

    Columns are dropped first, then texts are folded, and names and numbers only where nothing else is left.
    """
    shown = list(range(len(needs)))
    while _total(needs[at].wanted for at in shown) > width:
        droppable = [at for at in shown if needs[at].drop]
        if not droppable:
            break
        shown.remove(max(droppable, key=lambda at: (needs[at].drop, at)))
    widths = {at: needs[at].widest for at in shown}
    _narrow(widths, [at for at in shown if needs[at].may_fold], width, LEAST)
    _narrow(widths, shown, width, 1)
    return widths


def _narrow(widths: dict[int, int], which: Sequence[int], width: int, least: int) -> None:
    """Take from the widest of some columns until all fit, or until these are as narrow as they may be."""
    while which and _total(widths.values()) > width:
        widest = max(which, key=widths.__getitem__)
        if widths[widest] <= least:
            return
        widths[widest] -= 1


def _total(widths: Iterable[int]) -> int:
    each = list(widths)
    return sum(each) + GAP * (len(each) - 1)
