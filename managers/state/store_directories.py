"""The directories of stores and of their checkpoints, and the offset files in them."""

import logging
import os
import shutil
import struct
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Final, Literal, TypeVar
from zlib import crc32

from eventlog.atomic_file import atomic_file
from eventlog.checkpoint import CheckpointId, CheckpointV2
from eventlog.errors import WireError
from eventlog.partition import SystemStreamPartition
from eventlog.wire.checkpoint_topic import decode_v2, encode_v2
from eventlog.wire.jackson import loads, object_text
from managers.state.state_errors import StoreUnreadable

OFFSET_FILE: Final = "OFFSET-v2"
LEGACY_OFFSET_FILE: Final = "OFFSET"
SIDE_INPUT_OFFSET_FILE: Final = "SIDE-INPUT-OFFSETS"
CHECKPOINT_FILE: Final = "CHECKPOINT-V2"
OFFSET_FILES: Final = (OFFSET_FILE, LEGACY_OFFSET_FILE)
FILES_OF_COMMIT: Final = (*OFFSET_FILES, SIDE_INPUT_OFFSET_FILE, CHECKPOINT_FILE)
"""The files in the directory of a store that say which commit it has."""

StoreKind = Literal["DictStore", "RocksDbStore"]
DICT_STORE_FILE: Final = "entries"
_ROCKSDB_FILE: Final = "CURRENT"
_FILES: Final[Mapping[StoreKind, str]] = {"DictStore": DICT_STORE_FILE, "RocksDbStore": _ROCKSDB_FILE}
_TABLE_SUFFIX: Final = ".sst"
_MAGIC: Final = b"\xac\xed\x00\x05"
_BLOCK_BYTES: Final = 1024
_SHORT_BLOCK: Final = 0x77
_LONG_BLOCK: Final = 0x7A
_STRING_BYTES: Final = 65535
_logger: Final = logging.getLogger(__name__)
FileOffsets = Mapping[SystemStreamPartition, str]
Content = TypeVar("Content")


def store_directory(base: Path, store_name: str, task_name: str) -> Path:
    """The directory of a task's store: ``<base>/<store>/<task>``, with ``_`` for each space."""
    return base / store_name.replace(" ", "_") / task_name.replace(" ", "_")


def checkpoint_directory(directory: Path, checkpoint_id: CheckpointId) -> Path:
    """The directory with a store's files as of a commit: the store's directory, ``-`` and the checkpoint id."""
    return directory.with_name(f"{directory.name}-{checkpoint_id}")


def checkpoint_directories(directory: Path) -> Iterator[tuple[CheckpointId, Path]]:
    """The checkpoint directories of a store, in any order."""
    prefix = f"{directory.name}-"
    candidates = directory.parent.iterdir() if directory.parent.is_dir() else iter(())
    for path in candidates:
        checkpoint_id = _parse(path.name.removeprefix(prefix)) if path.name.startswith(prefix) else None
        if checkpoint_id is not None and path.is_dir():
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


def require_kind(directory: Path, kind: StoreKind) -> None:
    """Raise `StoreUnreadable` if a directory has a file of another kind of store, which would not see its entries."""
    for other, file in _FILES.items():
        if other != kind and (directory / file).exists():
            raise StoreUnreadable(directory / file, f"is that of a {other}, not of a {kind}")


def _parse(text: str) -> CheckpointId | None:
    """The checkpoint id with exactly this text, None if there is none (the directory of a task ``task-1``)."""
    try:
        checkpoint_id = CheckpointId.parse(text)
    except WireError:
        return None
    return checkpoint_id if str(checkpoint_id) == text else None


def _link_or_copy(source: str, target: str) -> str:
    if source.endswith(_TABLE_SUFFIX):
        os.link(source, target)
        return target
    return str(shutil.copy2(source, target))


def write_with_checksum(path: Path, text: str) -> None:
    """Replace a file atomically. Raises OSError; the previous one remains then."""
    with atomic_file(path, mode=0o666) as file:
        file.write(encode(text))


def read_with_checksum(path: Path) -> str:
    """Raises ValueError if the file is damaged or has another format."""
    try:
        return decode(path.read_bytes())
    except ValueError:
        text = f"{path} is damaged: its checksum does not match. Delete it; the store is then restored."
        raise ValueError(text) from None


def encode(text: str) -> bytes:
    data = _checksum(text) + b"".join(struct.pack(">H", len(part)) + part for part in _strings(text))
    return _MAGIC + b"".join(_blocks(data))


def decode(data: bytes) -> str:
    """Raises ValueError if the data is damaged or has another format."""
    content = BytesIO(b"".join(_contents(BytesIO(data))))
    checksum = _read_exactly(content, 8)
    units = _read_string(content)
    while content.tell() < len(content.getbuffer()):
        units += _read_string(content)
    text = units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    if checksum != _checksum(text):
        raise ValueError
    return text


def _blocks(data: bytes) -> Iterator[bytes]:
    for at in range(0, len(data), _BLOCK_BYTES):
        block = data[at : at + _BLOCK_BYTES]
        is_short = len(block) <= 0xFF
        yield (bytes((_SHORT_BLOCK, len(block))) if is_short else struct.pack(">Bi", _LONG_BLOCK, len(block))) + block


def _contents(data: BytesIO) -> Iterator[bytes]:
    if data.read(len(_MAGIC)) != _MAGIC:
        raise ValueError
    while kind := data.read(1):
        if kind[0] not in (_SHORT_BLOCK, _LONG_BLOCK):
            raise ValueError
        yield _read_exactly(data, int.from_bytes(_read_exactly(data, 1 if kind[0] == _SHORT_BLOCK else 4)))


def _read_exactly(data: BytesIO, count: int) -> bytes:
    found = data.read(count)
    if len(found) < count:
        raise ValueError
    return found


def _checksum(text: str) -> bytes:
    return struct.pack(">q", crc32(text.encode("utf-8", "surrogatepass")))


def _strings(text: str) -> Iterator[bytes]:
    """The text as Java's modified UTF-8: two surrogates for an astral character, two bytes for NUL."""
    units = "".join(chr(unit) for (unit,) in struct.iter_unpack("<H", text.encode("utf-16-le", "surrogatepass")))
    size = _STRING_BYTES if units.isascii() and "\0" not in units else _STRING_BYTES // 3
    for at in range(0, max(len(units), 1), size):
        yield units[at : at + size].encode("utf-8", "surrogatepass").replace(b"\0", b"\xc0\x80")


def _read_string(content: BytesIO) -> str:
    encoded = _read_exactly(content, int.from_bytes(_read_exactly(content, 2)))
    return encoded.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")


def write_offset_files(directory: Path, offsets: FileOffsets) -> None:
    """Write the offset that a store holds: the new form first, then the old one. Raises OSError."""
    write_with_checksum(directory / OFFSET_FILE, object_text((str(key), offset) for key, offset in offsets.items()))
    (offset,) = offsets.values()
    write_with_checksum(directory / LEGACY_OFFSET_FILE, offset)


def read_offset_files(directory: Path, partitions: Collection[SystemStreamPartition]) -> FileOffsets:
    """The offsets that a store holds; empty if there is no file, or it is damaged.

    A file of one offset without a partition is that of the only one of ``partitions``.
    """
    name = next((name for name in OFFSET_FILES if (directory / name).exists()), OFFSET_FILE)
    return _read(directory / name, lambda text: _parse_offsets(text, partitions)) or {}


def delete_offset_files(directory: Path) -> None:
    for name in OFFSET_FILES:
        (directory / name).unlink(missing_ok=True)


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


def is_stale(directory: Path, delete_retention_ms: int, now: datetime) -> bool:
    """Whether a store is as old as the changelog keeps tombstones, so it may have missed deletions.

    Its age is that of its checkpoint file, else of its offsets. Without any, it is stale.
    """
    names = (CHECKPOINT_FILE, *OFFSET_FILES)
    written = next((path.stat().st_mtime for name in names if (path := directory / name).exists()), 0.0)
    return (now.timestamp() - written) * 1000 >= delete_retention_ms


def _parse_offsets(text: str, partitions: Collection[SystemStreamPartition]) -> FileOffsets:
    try:
        fields = loads(text)
    except WireError:
        fields = None
    if isinstance(fields, dict):
        return {SystemStreamPartition.parse(key): str(offset) for key, offset in fields.items()}
    return dict.fromkeys(partitions, text) if len(partitions) == 1 else {}
