"""Makes a changelog equal to a store that was restored from another backend."""

from collections.abc import Callable

from eventlog.changelog import Changelogs
from eventlog.partition import SystemStreamPartition
from managers.backup.key_value_store import KeyValueStore


def align_changelog(
    store: KeyValueStore,
    partition: SystemStreamPartition,
    changelogs: Changelogs,
    committed: int | None,
    check: Callable[[], object],
) -> None:
    """Revert the changes after the offset ``committed``, of which the store knows nothing.

    Without that offset, or if the changelog does not have it, all changes are reverted and all entries are written.
    ``check`` is called with each batch of changes, and also while none arrives. Raises what it and `Changelogs` raise.
    """
    changelogs.discard(partition)
    reach = changelogs.reach(partition)
    oldest, end = int(reach.oldest_offset or 0), int(reach.upcoming_offset or 0)
    is_known = committed is not None and oldest <= committed < end
    first = committed + 1 if is_known and committed is not None else oldest
    for changes in changelogs.read(partition, first, end):
        check()
        for key in {change.key: None for change in changes}:
            changelogs.send(partition, key, store.get(key))
    if not is_known:
        for key, value in store.range():
            changelogs.send(partition, key, value)
    changelogs.flush()
