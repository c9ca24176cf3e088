"""Which offset of its changelog a store on the disk holds, if it can be used at all (StorageManagerUtil of Samza)."""

from datetime import datetime
from pathlib import Path

from eventlog.errors import WireError
from eventlog.partition import SystemStreamPartition
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY
from managers.assignments.changelog_topics import delete_retention_ms
from managers.job_names import Config
from managers.state.changelog_markers import marked_offset
from managers.state.offset_files import is_stale, read_checkpoint_file, read_offset_files
from managers.state.store_directories import checkpoint_directories


def usable_checkpoints(
    directory: Path, store: str, changelog: SystemStreamPartition, config: Config, now: datetime
) -> dict[Path, int]:
    """The offsets of the checkpoint directories that can be used."""
    paths = [path for _, path in sorted(checkpoint_directories(directory))]
    offsets = {path: local_offset(path, store, changelog, config, now) for path in paths}
    return {path: offset for path, offset in offsets.items() if offset is not None}


def local_offset(
    directory: Path, store: str, changelog: SystemStreamPartition, config: Config, now: datetime
) -> int | None:
    """The offset of a directory; None if it is not known, or the directory is so old that it may miss deletions.

    Directories of jobs that write only checkpoints of version 2 have no offset file, but the checkpoint.
    """
    if is_stale(directory, delete_retention_ms(config, store), now):
        return None
    offsets = read_offset_files(directory, [changelog])
    if offsets:
        offset = offsets.get(changelog, "") if len(offsets) == 1 else ""
        return int(offset) if offset.isascii() and offset.isdigit() else None
    return _of_checkpoint_file(directory, store, changelog)


def _of_checkpoint_file(directory: Path, store: str, changelog: SystemStreamPartition) -> int | None:
    checkpoint = read_checkpoint_file(directory)
    markers = {} if checkpoint is None else checkpoint.state_markers.get(KAFKA_STATE_BACKEND_FACTORY, {})
    try:
        return marked_offset(markers[store], changelog) if store in markers else None
    except WireError:
        return None
