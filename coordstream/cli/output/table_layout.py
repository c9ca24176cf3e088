"""The columns of a table that fit a width, and the width of each."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

GAP: Final = 2
"""Spaces between two columns."""

COMFORTABLE: Final = 32
"""Columns are dropped until each text that may be wrapped has this width."""

LEAST: Final = 12
"""A text is wrapped down to this width before other columns are."""


class Need(NamedTuple):
    """What a column needs: the width of its widest cell, whether its cells may be wrapped, and when it is dropped.

    The column with the highest ``drop`` is dropped first; 0 is never dropped.
    """

    widest: int
    may_fold: bool = True
    drop: int = 0

    @property
    def wanted(self) -> int:
        """The width for which less important columns are dropped."""
        return min(self.widest, COMFORTABLE) if self.may_fold else self.widest


def fitted(needs: Sequence[Need], width: int) -> dict[int, int]:
    """The widths of the columns that are shown, by their index.

    Columns are dropped first, then texts are wrapped, and names and numbers only as a last resort.
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
    """Narrow the widest of some columns until all fit, or until these have the least width."""
    while which and _total(widths.values()) > width:
        widest = max(which, key=widths.__getitem__)
        if widths[widest] <= least:
            return
        widths[widest] -= 1


def _total(widths: Iterable[int]) -> int:
    each = list(widths)
    return sum(each) + GAP * (len(each) - 1)
