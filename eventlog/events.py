"""Events: to be appended, as a log has recorded them, in columns and in batches."""

import gc
import re
from binascii import b2a_base64
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from operator import itemgetter
from threading import Lock
from typing import Final, NamedTuple, Self, TypeVar

from eventlog.timestamps import all_storable_micros

CREATE_TIME: Final = 0
LOG_APPEND_TIME: Final = 1

Headers = tuple[tuple[str, bytes | None], ...]

HOST_HEADER: Final = "coordstream-host"
USERNAME_HEADER: Final = "coordstream-username"
"""Headers that name the writer of an event without an envelope. Samza ignores them."""


def writer_of(headers: Headers) -> tuple[str | None, str | None]:
    """The host and the user in the headers of an event; None: they do not name it, or Postgres cannot store it."""
    values = dict(headers)
    return _text(values.get(HOST_HEADER)), _text(values.get(USERNAME_HEADER))


def _text(value: bytes | None) -> str | None:
    try:
        text = (value or b"").decode()
    except UnicodeDecodeError:
        return None
    return None if not text or "\0" in text else text


_NOT_IN_JSONB: Final = re.compile("[\0\ud800-\udfff]")


def header_to_json(name: str, value: bytes | None) -> list[str | None]:
    """Name and value; a name that jsonb cannot store is a third element, in base64."""
    stored = None if value is None else b2a_base64(value, newline=False).decode()
    if _NOT_IN_JSONB.search(name):
        return [None, stored, b2a_base64(name.encode("utf-8", "surrogatepass"), newline=False).decode()]
    return [name, stored]


class RecordedEvent(NamedTuple):
    """One record of a log; it never changes.

    ``timestamp`` is the record's time in ms since 1970, set by the writer (``CREATE_TIME``) or by the log
    (``LOG_APPEND_TIME``). A ``value`` of None is a tombstone.
    """

    offset: int
    timestamp: int
    timestamp_type: int
    key: bytes | None
    value: bytes | None
    headers: Headers = ()
    leader_epoch: int | None = None


_key: Final = itemgetter(RecordedEvent._fields.index("key"))
_value: Final = itemgetter(RecordedEvent._fields.index("value"))
_headers: Final = itemgetter(RecordedEvent._fields.index("headers"))


class EventColumns(NamedTuple):
    """Some events column by column. ``record_times``: the timestamps as `storable_micros`."""

    offsets: tuple[int, ...]
    timestamps: tuple[int, ...]
    timestamp_types: tuple[int, ...]
    keys: tuple[bytes | None, ...]
    values: tuple[bytes | None, ...]
    headers: tuple[Headers, ...]
    leader_epochs: tuple[int | None, ...]
    record_times: list[int | None]

    @classmethod
    def of(cls, events: Sequence[RecordedEvent]) -> Self:
        if not events:
            return cls((), (), (), (), (), (), (), [])
        offsets, timestamps, types, keys, values, headers, epochs = zip(*events, strict=True)
        return cls(offsets, timestamps, types, keys, values, headers, epochs, all_storable_micros(timestamps))


class NewEvent(NamedTuple):
    """A record to append; if ``timestamp`` is None, the log's clock sets it."""

    key: bytes | None
    value: bytes | None
    timestamp: int | None = None
    headers: Headers = ()


Event = TypeVar("Event", RecordedEvent, NewEvent)


def bytes_of(events: Sequence[RecordedEvent]) -> int:
    """The bytes of keys and values, and roughly what headers need."""
    headers = sum(map(_header_bytes, filter(None, map(_headers, events))))
    texts = filter(None, chain(map(_key, events), map(_value, events)))
    return headers + sum(map(len, texts))  # half the time of a loop


def _header_bytes(headers: Headers) -> int:
    return sum(100 + len(name) + len(value or b"") for name, value in headers)


def batches(events: Iterable[Event], max_events: int, max_bytes: int) -> Iterator[list[Event]]:
    """The events in lists of at most so many events and bytes (see `bytes_of`); a larger event has its own list."""
    batch: list[Event] = []
    size = 0
    for event in events:
        added = len(event.key or b"") + len(event.value or b"") + (_header_bytes(event.headers) if event.headers else 0)
        if batch and (len(batch) == max_events or size + added > max_bytes):
            yield batch
            batch, size = [], 0
        batch.append(event)
        size += added
    if batch:
        yield batch


class _Blocks:
    """The blocks that are running, in all threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._count = 0
        self._was_enabled = False

    def enter(self) -> None:
        with self._lock:
            if not self._count:
                self._was_enabled = gc.isenabled()
                gc.disable()
            self._count += 1

    def leave(self) -> None:
        with self._lock:
            self._count -= 1
            if not self._count and self._was_enabled:
                gc.enable()


_blocks = _Blocks()


@contextmanager
def no_collections(*, freeze: bool = False) -> Iterator[None]:
    """Disable the garbage collector until the last such block of all threads ends.

    Thousands of new tuples would be scanned repeatedly, which took a fifth of the fold. With ``freeze``, what exists at
    the end is exempt from later collections: scanning a log's dictionaries, which stay, blocked a live follower for
    100 ms every few seconds.
    """
    _blocks.enter()
    try:
        yield
    finally:
        if freeze:
            gc.freeze()
        _blocks.leave()
