"""The files in the directory of a store that say which commit it holds (StorageManagerUtil of Samza 1.8.0).

``OFFSET-v2`` has the offsets of the store's changelog or side inputs as JSON. ``OFFSET`` (the bare offset) and
``SIDE-INPUT-OFFSETS`` are the forms of older releases, which are still written so that a job can be rolled back.
``CHECKPOINT-V2`` has the whole checkpoint.
"""

import logging
from collections.abc import Collection, Mapping
from datetime import datetime
from pathlib import Path
from typing import Final

from eventlog.checkpoint import CheckpointV2
from eventlog.errors import WireError
from eventlog.partition import SystemStreamPartition
from eventlog.wire.checkpoint_topic import decode_v2, encode_v2
from eventlog.wire.jackson import loads, object_text
from managers.state.checksum_file import ChecksumMismatch, read_with_checksum, write_with_checksum
from managers.state.store_directories import (
    CHECKPOINT_FILE,
    LEGACY_OFFSET_FILE,
    OFFSET_FILE,
    SIDE_INPUT_OFFSET_FILE,
)

_logger: Final = logging.getLogger(__name__)

FileOffsets = Mapping[SystemStreamPartition, str]


def write_offset_files(directory: Path, offsets: FileOffsets, *, is_side_input: bool = False) -> None:
    """Write the offsets that a store holds: the new form first, then the old one.

    ``offsets`` has one partition unless ``is_side_input``. Raises OSError.
    """
    text = object_text((str(partition), offset) for partition, offset in offsets.items())
    write_with_checksum(directory / OFFSET_FILE, text)
    if is_side_input:
        write_with_checksum(directory / SIDE_INPUT_OFFSET_FILE, text)
    else:
        (offset,) = offsets.values()
        write_with_checksum(directory / LEGACY_OFFSET_FILE, offset)


def read_offset_files(
    directory: Path, partitions: Collection[SystemStreamPartition], *, is_side_input: bool = False
) -> FileOffsets:
    """The offsets that a store holds; empty if there is no file, or it is damaged.

    A file of one offset without a partition is that of the only one of ``partitions``.
    """
    name = next((name for name in _names(is_side_input) if (directory / name).exists()), None)
    if name is None:
        return {}
    try:
        return _parse(read_with_checksum(directory / name), partitions)
    except (ChecksumMismatch, OSError, WireError) as error:
        _logger.warning("Ignored the offsets of %s: %s", directory, error)
        return {}


def delete_offset_files(directory: Path) -> None:
    """Delete the offsets of a store whose changelog is empty."""
    for name in (OFFSET_FILE, LEGACY_OFFSET_FILE):
        (directory / name).unlink(missing_ok=True)


def write_checkpoint_file(directory: Path, checkpoint: CheckpointV2) -> None:
    """Write the checkpoint that a store belongs to. Raises OSError."""
    write_with_checksum(directory / CHECKPOINT_FILE, encode_v2(checkpoint).decode())


def read_checkpoint_file(directory: Path) -> CheckpointV2 | None:
    """The checkpoint that a store belongs to; None if there is no file, or it is damaged."""
    path = directory / CHECKPOINT_FILE
    if not path.exists():
        return None
    try:
        return decode_v2(read_with_checksum(path).encode())
    except (ChecksumMismatch, OSError, WireError) as error:
        _logger.warning("Ignored the checkpoint of %s: %s", directory, error)
        return None


def is_stale(directory: Path, delete_retention_ms: int, now: datetime, *, is_side_input: bool = False) -> bool:
    """Whether a store is as old as the changelog keeps tombstones, so it may have missed deletions.

    Its age is that of the first of its files: the checkpoint, then the offsets. Without any, it is stale.
    """
    names = (CHECKPOINT_FILE, *_names(is_side_input))
    written = next((path.stat().st_mtime for name in names if (path := directory / name).exists()), 0.0)
    return (now.timestamp() - written) * 1000 >= delete_retention_ms


def _names(is_side_input: bool) -> tuple[str, str]:
    return OFFSET_FILE, SIDE_INPUT_OFFSET_FILE if is_side_input else LEGACY_OFFSET_FILE


def _parse(text: str, partitions: Collection[SystemStreamPartition]) -> FileOffsets:
    try:
        fields = loads(text)
    except WireError:
        fields = None
    if isinstance(fields, dict):
        return {SystemStreamPartition.parse(key): str(offset) for key, offset in fields.items()}
    return dict.fromkeys(partitions, text) if len(partitions) == 1 else {}
