"""The directories of stores and of their checkpoints, and the files in them that say which commit they hold."""

import logging
import os
import shutil
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from glob import escape
from pathlib import Path
from typing import Final, TypeVar
from zlib import crc32

from eventlog.atomic_file import atomic_file
from eventlog.checkpoint import CheckpointId, CheckpointV2
from eventlog.errors import WireError
from eventlog.partition import SystemStreamPartition
from eventlog.wire.checkpoint_topic import decode_v2, encode_v2
from eventlog.wire.jackson import loads, object_text

OFFSET_FILE: Final = "OFFSET-v2"
LEGACY_OFFSET_FILE: Final = "OFFSET"
SIDE_INPUT_OFFSET_FILE: Final = "SIDE-INPUT-OFFSETS"
CHECKPOINT_FILE: Final = "CHECKPOINT-V2"
OFFSET_FILES: Final = (OFFSET_FILE, LEGACY_OFFSET_FILE)
FILES_OF_COMMIT: Final = (*OFFSET_FILES, SIDE_INPUT_OFFSET_FILE, CHECKPOINT_FILE)
"""The files in the directory of a store that say which commit it has."""

_TABLE_SUFFIX: Final = ".sst"
_MAGIC: Final = b"\xac\xed\x00\x05"
_BLOCK_BYTES: Final = 1024
_SHORT_BLOCK: Final = 0x77
_LONG_BLOCK: Final = 0x7A
_STRING_BYTES: Final = 65535
_logger: Final = logging.getLogger(__name__)
Content = TypeVar("Content")


def checkpoint_directory(directory: Path, checkpoint_id: CheckpointId) -> Path:
    """The directory with a store's files as of a commit: the store's directory, ``-`` and the checkpoint id."""
    return directory.with_name(f"{directory.name}-{checkpoint_id}")


def checkpoint_directories(directory: Path) -> Iterator[tuple[CheckpointId, Path]]:
    """The checkpoint directories of a store, in any order, not those of a task ``<this task>-1``."""
    for path in directory.parent.glob(f"{escape(directory.name)}-*"):
        text = path.name.removeprefix(f"{directory.name}-")
        with suppress(WireError):
            checkpoint_id = CheckpointId.parse(text)
            if str(checkpoint_id) == text and path.is_dir():
                yield checkpoint_id, path


def copy_checkpoint(checkpoint: Path, directory: Path) -> None:
    """Make a store's directory from a checkpoint directory, which remains. ``directory`` must not exist.

    The tables of RocksDB never change and are linked; its other files are copied, because it appends to them.
    """
    shutil.copytree(checkpoint, directory, copy_function=_link_or_copy)


def delete_directory(directory: Path) -> None:
    """Delete a directory with its files; does nothing if it does not exist. Raises OSError.

    The files that say which commit it has go first: what is left after a crash is never taken for a whole store.
    """
    if directory.exists():
        for name in FILES_OF_COMMIT:
            (directory / name).unlink(missing_ok=True)
        shutil.rmtree(directory)


def set_aside(files: Path, directory: Path) -> Path:
    """Rename a directory of a store to ``<directory>.kept``, which nothing reads, and return it. Raises OSError.

    While that exists, it is ``<directory>.kept-last``, which is replaced: a task that crashes at each start keeps its
    first files.
    """
    kept = directory.with_name(f"{directory.name}.kept")
    if kept.is_dir():
        kept = directory.with_name(f"{directory.name}.kept-last")
        delete_directory(kept)
    return files.rename(kept)


def _link_or_copy(source: str, target: str) -> str:
    if source.endswith(_TABLE_SUFFIX):
        os.link(source, target)
        return target
    return str(shutil.copy2(source, target))


def write_with_checksum(path: Path, text: str) -> None:
    """Replace a file atomically, with the bytes of Java's ObjectOutputStream. Raises OSError; the old file remains."""
    data = _checksum(text) + b"".join(struct.pack(">H", len(part)) + part for part in _strings(text))
    with atomic_file(path, mode=0o666) as file:
        file.write(_MAGIC)
        for at in range(0, len(data), _BLOCK_BYTES):
            block = data[at : at + _BLOCK_BYTES]
            is_short = len(block) <= 0xFF
            file.write(bytes((_SHORT_BLOCK, len(block))) if is_short else struct.pack(">Bi", _LONG_BLOCK, len(block)))
            file.write(block)


def read_with_checksum(path: Path) -> str:
    """Raises ValueError if the file is damaged or has another format."""
    data = path.read_bytes()
    content, at = b"", len(_MAGIC)
    while at < len(data):
        start = at + (2 if data[at] == _SHORT_BLOCK else 5)
        at = start + int.from_bytes(data[at + 1 : start])
        content += data[start:at]
    units, at = b"", 8
    while at < len(content):
        start = at + 2
        at = start + int.from_bytes(content[at:start])
        units += content[start:at]
    text = units.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    if not data.startswith(_MAGIC) or content[:8] != _checksum(text):
        raise ValueError(f"{path} is damaged: its checksum does not match. Delete it; the store is then restored.")
    return text


def _checksum(text: str) -> bytes:
    return struct.pack(">q", crc32(text.encode("utf-8", "surrogatepass")))


def _strings(text: str) -> Iterator[bytes]:
    """The text as Java's modified UTF-8: two surrogates for an astral character, two bytes for NUL."""
    units = "".join(chr(unit) for (unit,) in struct.iter_unpack("<H", text.encode("utf-16-le", "surrogatepass")))
    size = _STRING_BYTES if units.isascii() and "\0" not in units else _STRING_BYTES // 3
    for at in range(0, max(len(units), 1), size):
        yield units[at : at + size].encode("utf-8", "surrogatepass").replace(b"\0", b"\xc0\x80")


def write_offset(directory: Path, changelog: SystemStreamPartition, offset: str | None) -> None:
    """Write the offset that a store holds, the new form first, then the old one; None deletes both. Raises OSError."""
    if offset is None:
        for name in OFFSET_FILES:
            (directory / name).unlink(missing_ok=True)
        return
    write_with_checksum(directory / OFFSET_FILE, object_text([(str(changelog), offset)]))
    write_with_checksum(directory / LEGACY_OFFSET_FILE, offset)


def read_offset(directory: Path, changelog: SystemStreamPartition) -> str | None:
    """The offset that a store holds of its changelog; None if there is no file, or it is damaged or of another one.

    A file of older releases has the offset only.
    """
    name = next((name for name in OFFSET_FILES if (directory / name).exists()), OFFSET_FILE)
    return _read(directory / name, lambda text: _parse_offset(text, changelog))


def write_checkpoint_file(directory: Path, checkpoint: CheckpointV2) -> None:
    """Write the checkpoint that a store belongs to. Raises OSError."""
    write_with_checksum(directory / CHECKPOINT_FILE, encode_v2(checkpoint).decode())


def read_checkpoint_file(directory: Path) -> CheckpointV2 | None:
    """The checkpoint that a store belongs to; None if there is no file, or it is damaged."""
    return _read(directory / CHECKPOINT_FILE, lambda text: decode_v2(text.encode()))


def _read(path: Path, parse: Callable[[str], Content]) -> Content | None:
    if not path.exists():
        return None
    try:
        return parse(read_with_checksum(path))
    except (ValueError, OSError, WireError) as error:
        _logger.warning("Ignored %s: %s", path, error)
        return None


def _parse_offset(text: str, changelog: SystemStreamPartition) -> str | None:
    try:
        fields = loads(text)
    except WireError:
        return text
    if not isinstance(fields, dict):
        return text
    offset = fields.get(str(changelog))
    return None if offset is None else str(offset)


def is_stale(directory: Path, delete_retention_ms: int, now: datetime) -> bool:
    """Whether a store is as old as the changelog keeps tombstones, so it may have missed deletions.

    Its age is that of its checkpoint file, else of its offsets. Without any, it is stale.
    """
    names = (CHECKPOINT_FILE, *OFFSET_FILES)
    written = next((path.stat().st_mtime for name in names if (path := directory / name).exists()), 0.0)
    return (now.timestamp() - written) * 1000 >= delete_retention_ms
