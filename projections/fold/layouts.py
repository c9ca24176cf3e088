"""Layouts: the names of a checkpoint's offsets, stored once, so that the history contains only the offsets."""

from typing import Final, NamedTuple

NO_OFFSETS: Final = 0
"""The layout of a checkpoint without any offset; it has no rows."""


class LayoutEntry(NamedTuple):
    """What one offset of a checkpoint belongs to: an input partition, or (``is_state``) a store's state.

    A state entry of V1 has no factory and store: the job's config knows them. Its marker, in V2, is
    ``marker_prefix``, the offset, ``marker_suffix``; system, stream and partition are None where the marker is not
    Kafka's, and the offset then is the marker itself.
    """

    partition_id: int | None
    key_bucket: int | None
    is_state: bool
    system_name: str | None
    stream_name: str | None
    factory_name: str | None = None
    store_name: str | None = None
    marker_prefix: str | None = None
    marker_suffix: str | None = None

    @property
    def is_opaque(self) -> bool:
        """Whether its offset is a marker that is not Kafka's: any text, which may contain a secret."""
        return self.is_state and self.stream_name is None


Layout = tuple[LayoutEntry, ...]


def input_streams(layout: Layout) -> list[str]:
    """The stream of each input partition, as ``system.stream``."""
    return [f"{entry.system_name}.{entry.stream_name}" for entry in layout if not entry.is_state]


class LayoutDictionary:
    """All layouts of one log. New ones get the next number and stand in ``new`` until they are stored."""

    def __init__(self) -> None:
        self._ids: dict[Layout, int] = {(): NO_OFFSETS}
        self._last = NO_OFFSETS
        self.new: list[tuple[int, Layout]] = []

    def remember(self, layout_id: int, layout: Layout) -> None:
        """Take back a stored layout."""
        self._ids[layout] = layout_id
        self._last = max(self._last, layout_id)

    def known(self, layout: Layout) -> int | None:
        """The number of a layout, if it has one."""
        return self._ids.get(layout)

    def id_of(self, layout: Layout) -> int:
        """The number of a layout, a new one if it was never seen."""
        known = self._ids.get(layout)
        if known is not None:
            return known
        self._last += 1
        self._ids[layout] = self._last
        self.new.append((self._last, layout))
        return self._last


class BatchLayouts:
    """Gives each new layout of a batch a provisional number below 0, until `number` assigns the final ones.

    Final numbers are assigned in the order of the layouts' first offsets, although a batch is decoded task by task. So
    they do not depend on how the log was divided into batches.
    """

    def __init__(self, layouts: LayoutDictionary) -> None:
        self._layouts = layouts
        self._provisional: dict[Layout, int] = {}
        self._first_offsets: dict[int, int] = {}

    def id_of(self, layout: Layout, offset: int) -> int:
        """Return the number of the layout of the checkpoint at an offset: the final one if it is known."""
        known = self._layouts.known(layout)
        if known is not None:
            return known
        provisional = self._provisional.setdefault(layout, -1 - len(self._provisional))
        self._first_offsets[provisional] = min(offset, self._first_offsets.get(provisional, offset))
        return provisional

    def number(self) -> dict[int, int]:
        """Return the final number for each provisional one."""
        by_offset = sorted(self._provisional.items(), key=lambda item: self._first_offsets[item[1]])
        return {provisional: self._layouts.id_of(layout) for layout, provisional in by_offset}
