"""How a store is restored from its changelog: from which local directory, and which changes are applied or reverted."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

from eventlog.errors import WireError
from eventlog.partition import SystemStreamPartition
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY
from managers.job_facts import delete_retention_ms
from managers.job_names import Config
from managers.state.state_markers import marked_offset
from managers.state.store_directories import is_stale, read_checkpoint_file, read_offset

_SAFE_SHARE_OF_LAG: Final = 0.9
_TO_END: Final = ", so it is restored to the end of the changelog"


class StoreToRestore(NamedTuple):
    """A store with a changelog, before it is restored.

    ``newest`` is the offset before the end of the changelog, ``checkpointed`` that of its last commit (None if there is
    none). ``checkpoint_age_ms`` None: that commit has no id. ``local`` has the offset of each directory that can be
    used. ``retains_existing`` decides about the changes of a store without a commit. If the store ``is_transactional``,
    it gets the state of its last commit, else that of the end of the changelog.
    """

    oldest: int
    newest: int
    checkpointed: int | None
    checkpoint_age_ms: int | None
    min_compaction_lag_ms: int
    retains_existing: bool
    local: Mapping[Path, int]
    is_transactional: bool = True


class RestorePlan(NamedTuple):
    """How a store is restored: apply the changes at ``first`` to ``last``, and revert those after it.

    ``directory`` is the local directory to begin with; None: begin with an empty store. ``last`` None: revert all.
    ``doubt`` says why the result may not be the state of the last commit; empty if it is.
    """

    directory: Path | None
    first: int
    last: int | None
    doubt: str = ""


def plan_restore(store: StoreToRestore) -> RestorePlan:
    oldest, newest, offset, age_ms = store.oldest, store.newest, store.checkpointed, store.checkpoint_age_ms
    if not store.is_transactional:
        return _from_local(store, newest)
    if offset is None:
        if newest < oldest or not store.retains_existing:
            return RestorePlan(None, oldest, None)
        return RestorePlan(None, oldest, newest, f"it has no offset in the last commit{_TO_END}")
    if not oldest <= offset <= newest:
        reach = f"ends at {newest}" if offset > newest else f"begins at {oldest}"
        doubt = f"it was committed at offset {offset} of its changelog, which {reach}{_TO_END}"
        return RestorePlan(None, oldest, newest, doubt)
    is_recent = age_ms is not None and age_ms <= _SAFE_SHARE_OF_LAG * store.min_compaction_lag_ms
    if is_recent or offset == newest:  # no change before the commit can be compacted because of one after it
        return _from_local(store, offset)
    why = "the time of that commit is unknown" if age_ms is None else "it is older than min.compaction.lag.ms"
    return _from_local(store, newest, f"changes before its last commit may be compacted, because {why}{_TO_END}")


def _from_local(store: StoreToRestore, last: int, doubt: str = "") -> RestorePlan:
    usable = {directory: offset for directory, offset in store.local.items() if store.oldest <= offset <= last}
    directory = max(usable, key=lambda each: usable[each], default=None)
    return RestorePlan(directory, store.oldest if directory is None else usable[directory] + 1, last, doubt)


def local_offset(
    directory: Path, store: str, changelog: SystemStreamPartition, config: Config, now: datetime
) -> int | None:
    """The offset of a directory; None if it is not known, or so old that the directory may miss deletions.

    Directories of jobs that write only checkpoints of version 2 have no offset file, but the checkpoint.
    """
    if is_stale(directory, delete_retention_ms(config, store), now):
        return None
    offset = read_offset(directory, changelog)
    if offset is not None:
        return int(offset) if offset.isascii() and offset.isdigit() else None
    checkpoint = read_checkpoint_file(directory)
    markers = {} if checkpoint is None else checkpoint.state_markers.get(KAFKA_STATE_BACKEND_FACTORY, {})
    try:
        return marked_offset(markers[store], changelog) if store in markers else None
    except WireError:
        return None
