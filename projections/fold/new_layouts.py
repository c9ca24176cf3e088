"""Layouts that a batch brings: numbered in the order of their first offsets, in whatever order they are come upon."""

from collections.abc import Iterable

from projections.fold.layouts import Layout, LayoutDictionary


class NewLayouts:
    """Gives layouts without a number a provisional one, below 0, until `settle`.

    So the numbers do not depend on how the log was cut into batches, though a batch is read key by key.
    """

    def __init__(self, layouts: LayoutDictionary) -> None:
        self._layouts = layouts
        self._provisional: dict[Layout, int] = {}

    def id_of(self, layout: Layout) -> int:
        """The number of a layout: its own if it has one."""
        number = self._layouts.known(layout)
        return number if number is not None else self._provisional.setdefault(layout, -1 - len(self._provisional))

    def settle(self, ids: Iterable[int]) -> dict[int, int]:
        """The own number of each provisional one; ``ids`` are those that occur, in the order of their offsets."""
        layouts = {provisional: layout for layout, provisional in self._provisional.items()}
        return {provisional: self._layouts.id_of(layouts[provisional]) for provisional in dict.fromkeys(ids)}
