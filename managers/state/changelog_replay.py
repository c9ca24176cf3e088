"""Applies the changes of a changelog to a store, and reverts those that were not committed."""

from collections.abc import Callable, Sequence
from typing import Final

from eventlog.changelog import Change, Changelogs
from eventlog.partition import SystemStreamPartition
from managers.state.key_value_store import BulkLoading, KeyValueStore


class ChangelogReplay:
    """Restores one store from its changelog. Only a batch of changes is in memory."""

    def __init__(self, store: KeyValueStore, partition: SystemStreamPartition, changelogs: Changelogs) -> None:
        self._store: Final = store
        self._partition: Final = partition
        self._changelogs: Final = changelogs

    def run(self, first: int, last: int | None, end: int, reached: Callable[[int], object]) -> None:
        """Apply the changes at ``first`` to ``last`` (None: none), and revert those after it, before ``end``.

        A change is reverted by writing the store's value of its key to the changelog. ``reached`` is called with the
        next offset after each batch, and also while none arrives. Raises what `Changelogs` raises.
        """
        following = first
        for changes in self._changelogs.read(self._partition, first, end):
            self._apply([change for change in changes if last is not None and change.offset <= last])
            self._revert([change for change in changes if last is None or change.offset > last])
            following = changes[-1].offset + 1 if changes else following
            reached(following)
        self._store.flush()
        self._changelogs.flush()
        reached(end)

    def _apply(self, changes: Sequence[Change]) -> None:
        latest = {change.key: change.value for change in changes}
        if isinstance(self._store, BulkLoading):
            self._store.load_changes(latest)
            return
        for key, value in latest.items():
            if value is None:
                self._store.delete(key)
            else:
                self._store.put(key, value)

    def _revert(self, changes: Sequence[Change]) -> None:
        for key in {change.key: None for change in changes}:
            self._changelogs.send(self._partition, key, self._store.get(key))
