"""Small text files with a checksum, as Samza writes them (FileUtil.writeWithChecksum).

The bytes are those of a Java ObjectOutputStream: a CRC-32 of the text, then the text in strings of at most 64 KiB.
"""

import os
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from zlib import crc32

_MAGIC: Final = b"\xac\xed\x00\x05"
_BLOCK_BYTES: Final = 1024
_SHORT_BLOCK: Final = 0x77
_LONG_BLOCK: Final = 0x7A
_STRING_BYTES: Final = 65535
_ASTRAL: Final = re.compile("[\U00010000-\U0010ffff]")


class ChecksumMismatch(ValueError):
    """A file is damaged or has another format."""

    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__(f"{path} is damaged: its checksum does not match. Delete it; the store is then restored.")


def write_with_checksum(path: Path, text: str) -> None:
    """Replace a file atomically: after a crash of the machine the file is the previous one or this one.

    Raises:
        OSError: the file cannot be written; the previous one remains.
    """
    temporary = path.with_name(f"{path.name}.tmp")
    with temporary.open("wb") as file:
        file.write(encode(text))
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def read_with_checksum(path: Path) -> str:
    """The text of a file. Raises `ChecksumMismatch`, and OSError if it cannot be read."""
    try:
        return decode(path.read_bytes())
    except ValueError:
        raise ChecksumMismatch(path) from None


def encode(text: str) -> bytes:
    """The bytes of a file."""
    data = struct.pack(">q", crc32(text.encode("utf-8", "surrogatepass")))
    data += b"".join(struct.pack(">H", len(part)) + part for part in _strings(text))
    return _MAGIC + b"".join(_blocks(data))


def decode(data: bytes) -> str:
    """The text in the bytes of a file. Raises ValueError."""
    content = b"".join(_contents(data))
    text = _from_java("".join(_read_strings(content)))
    if struct.unpack_from(">q", content) != (crc32(text.encode("utf-8", "surrogatepass")),):
        raise ValueError
    return text


def _blocks(data: bytes) -> Iterator[bytes]:
    for at in range(0, len(data), _BLOCK_BYTES):
        block = data[at : at + _BLOCK_BYTES]
        is_short = len(block) <= 0xFF
        yield (bytes((_SHORT_BLOCK, len(block))) if is_short else struct.pack(">Bi", _LONG_BLOCK, len(block))) + block


def _contents(data: bytes) -> Iterator[bytes]:
    """The contents of all blocks."""
    if not data.startswith(_MAGIC) or len(data) == len(_MAGIC):
        raise ValueError
    at = len(_MAGIC)
    while at < len(data):
        start, length = _block_at(data, at)
        at = start + length
        if at > len(data):
            raise ValueError
        yield data[start:at]


def _block_at(data: bytes, at: int) -> tuple[int, int]:
    """Where the content of a block starts, and its length."""
    try:
        if data[at] == _SHORT_BLOCK:
            return at + 2, data[at + 1]
        if data[at] == _LONG_BLOCK:
            return at + 5, int(struct.unpack_from(">I", data, at + 1)[0])
    except (IndexError, struct.error):
        pass
    raise ValueError


def _strings(text: str) -> Iterator[bytes]:
    """The text as Java's modified UTF-8: two surrogates for an astral character, two bytes for NUL."""
    units = _ASTRAL.sub(_surrogates, text)
    size = _STRING_BYTES if units.isascii() and "\0" not in units else _STRING_BYTES // 3
    for at in range(0, max(len(units), 1), size):
        yield units[at : at + size].encode("utf-8", "surrogatepass").replace(b"\0", b"\xc0\x80")


def _read_strings(content: bytes) -> Iterator[str]:
    at = 8
    while at < len(content) or at == 8:
        if at + 2 > len(content):
            raise ValueError
        (length,) = struct.unpack_from(">H", content, at)
        at += 2 + length
        if at > len(content):
            raise ValueError
        yield content[at - length : at].replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")


def _surrogates(astral: re.Match[str]) -> str:
    above = ord(astral[0]) - 0x10000
    return chr(0xD800 + (above >> 10)) + chr(0xDC00 + (above & 0x3FF))


def _from_java(units: str) -> str:
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
