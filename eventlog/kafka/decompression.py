"""Unpacks batches, up to a limit: a few kilobytes of a producer can unpack to gigabytes."""

import gzip
import io
from collections.abc import Callable, Mapping
from typing import Any, Final

import lz4.frame
import zstandard
from kafka.codec import has_snappy, snappy_decode
from kafka.errors import UnsupportedCodecError

from eventlog.errors import EventLogError
from eventlog.frozen_dict import frozen

_BLOCK: Final = 1 << 17


class BatchTooLarge(EventLogError):
    """A batch unpacks to more bytes than allowed."""


def unpack(codec: int, packed: bytes, most_bytes: int) -> bytes:
    """The records of a batch. Raises `BatchTooLarge`, UnsupportedCodecError, and what the codec's library raises."""
    if codec not in _UNPACK:
        raise UnsupportedCodecError(f"codec {codec}")
    records = _UNPACK[codec](packed, most_bytes + 1)
    if len(records) > most_bytes:
        raise BatchTooLarge(f"its batch unpacks to more than {most_bytes} bytes")
    return records


def _gzip(packed: bytes, size: int) -> bytes:
    return gzip.GzipFile(fileobj=io.BytesIO(packed)).read(size)


def _snappy(packed: bytes, _size: int) -> bytes:
    """Snappy packs at most 20 times, so that the limit of the broker is enough."""
    if not has_snappy():
        raise UnsupportedCodecError("snappy")
    unpacked: bytes = snappy_decode(packed)
    return unpacked


def _lz4(packed: bytes, size: int) -> bytes:
    decompressor = lz4.frame.LZ4FrameDecompressor()
    unpacked: bytes = decompressor.decompress(packed, size)
    if not decompressor.eof and len(unpacked) < size:
        raise EOFError("the frame is incomplete")
    return unpacked


def _zstd(packed: bytes, size: int) -> bytes:
    reader: Any = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
    return io.BufferedReader(reader, _BLOCK).read(size)


_UNPACK: Final[Mapping[int, Callable[[bytes, int], bytes]]] = frozen({1: _gzip, 2: _snappy, 3: _lz4, 4: _zstd})
"""By Kafka's number of the codec."""
