"""The fold of one batch: events go in by `BatchFold.add`, rows of every table come out."""

from collections.abc import Callable, Sequence
from typing import Final

from eventlog.errors import WireError
from eventlog.events import EventColumns, Headers, writer_of
from eventlog.messages import Envelope, SetConfig
from eventlog.timestamps import storable_micros
from eventlog.wire.coordinator import decode_message
from eventlog.wire.jackson import text_of
from projections.fold.checkpoint_batch import CheckpointBatch, WriteCheckpoints
from projections.fold.keys import CheckpointEvent, KeyEntry
from projections.fold.log_fold import LogClock, LogFold, QuarantinedEvents
from projections.fold.message_bodies import Author, encode_body, message_body, other_body
from projections.fold.rows import NO_KEY, SWEPT, EnvelopeRow, MessageRow, Swept, require_storable, require_storable_text

_NO_AUTHOR: Final = (None, None, None)
_IDENTITY_KEYS: Final = frozenset({"job.name", "job.id"})


class BatchFold:
    """The rows of a batch of one log's events. ``archived_at`` is in microseconds since 2000.

    ``messages`` are rows to append. ``gaps`` are the first and last missing offset between the log's events.
    ``names_job``: an event sets the job's name or id.
    """

    def __init__(self, log: LogFold, archived_at: int) -> None:
        self.log = log
        self.archived_at = archived_at
        self.clock = LogClock(log.log_time, archived_at, log.until_log_time)
        self.quarantine = QuarantinedEvents(log.log_id, log.secrets)
        self.checkpoints = CheckpointBatch(log, self.quarantine)
        self.messages: list[MessageRow] = []
        self.gaps: list[tuple[int, int]] = []
        self.names_job = False
        self._undecoded: list[tuple[KeyEntry, bytes, int, int | None, bytes | None, Headers | None]] = []
        """Messages: entry, key, offset, record time, value and headers; None: swept."""
        self._headers: dict[int, Headers] = {}
        """Those of the events that have any, by offset; once a message is added, no longer its own."""
        self._places: dict[bytes | None, tuple[Callable[[CheckpointEvent], None], KeyEntry]] = {}
        """Where further checkpoints of a key go, and its entry."""

    def add(self, events: EventColumns) -> None:
        """Add the next events of the log. Their values are only collected, for `decode`."""
        if not events.offsets:
            return
        self.gaps += gaps_between(self.log.last_offset, events.offsets)
        self.log.last_offset = events.offsets[-1]
        self.clock.take(events.offsets, events.record_times)
        if any(events.headers):
            self._headers |= {at: some for at, some in zip(events.offsets, events.headers, strict=True) if some}
        known_place = self._places.get
        columns = (events.offsets, events.record_times, events.keys, events.values)
        for offset, record_time, key, value in zip(*columns, strict=True):
            place = known_place(key)
            if place is not None:
                add_fields, entry = place
                add_fields((offset, record_time, value, entry))
            elif key is not None:
                self._add_elsewhere(offset, record_time, key, value)
            else:
                self._add_without_key(offset, record_time, value)

    def _add_elsewhere(self, offset: int, record_time: int | None, key: bytes, value: bytes | None) -> None:
        """Add a message, or the first checkpoint of a key in this batch."""
        entry = self.log.keys.entry(key)
        if entry.task is None:
            self._undecoded.append((entry, key, offset, record_time, value, self._headers.pop(offset, ())))
            return
        events_of_task = self.checkpoints.events.setdefault(entry.task, [])
        events_of_task += (offset, record_time, value, entry)
        self._places[key] = events_of_task.extend, entry

    def sweep(self, swept: Sequence[Swept]) -> None:
        """Add deletes of keys that are missing from the log, after all events up to their offsets."""
        for at_offset, key in swept:
            entry = self.log.keys.entry(key)
            if entry.task is None:
                self._undecoded.append((entry, key, at_offset, None, None, None))
            else:
                self.checkpoints.sweep(entry.task, (at_offset, None, None, entry))

    def decode(self, write: WriteCheckpoints) -> None:
        """Decode what was added, and write the rows of checkpoints. This completes the batch."""
        self.checkpoints.decode(write)
        self._add_writers()
        for message in self._undecoded:
            self._decode_message(*message)
        self.log.log_time, self.log.until_log_time = self.clock.now, self.clock.until_row

    def _add_writers(self) -> None:
        """Add an envelope with the writer in the headers of each checkpoint that has no envelope of its own."""
        if not self._headers:
            return
        enveloped = {row.log_offset for row in self.checkpoints.envelopes}
        for offset, headers in self._headers.items():
            author = self._writer_in(headers)
            if author != _NO_AUTHOR and offset not in enveloped:
                self.checkpoints.envelopes.append(EnvelopeRow(offset, None, self.log.log_id, *author))

    def _writer_in(self, headers: Headers) -> Author:
        return self.log.masked_author(None, *writer_of(headers))

    def _decode_message(
        self,
        entry: KeyEntry,
        key: bytes,
        offset: int,
        record_time: int | None,
        value: bytes | None,
        headers: Headers | None,
    ) -> None:
        try:
            body, author, message_time = self._read_message(entry, value)
        except WireError as error:
            self.quarantine.add(entry, key, offset, record_time, value, error)
            return
        self.quarantine.resolve(entry, offset)
        if headers and author == _NO_AUTHOR:
            author = self._writer_in(headers)
        value_bytes = SWEPT if headers is None else None if value is None else len(value)
        key_and_size = self.log.log_id, entry.key_id, value_bytes
        self.messages.append(MessageRow(offset, record_time, message_time, *key_and_size, body, *author))
        self.names_job = self.names_job or entry.meaning.message_key in _IDENTITY_KEYS

    def _read_message(self, entry: KeyEntry, value: bytes | None) -> tuple[bytes | None, Author, int | None]:
        meaning = entry.meaning
        if value is None:
            return None, _NO_AUTHOR, None
        if meaning.message_type == SetConfig.message_type and not meaning.is_other:
            plain = self.log.plain_configs.read(value, meaning.is_sensitive)
            if plain is not None:
                return plain
        body, envelope = self._read_in_full(entry, value)
        author = self.log.masked_author(envelope.source, envelope.host, envelope.username)
        return body, author, storable_micros(envelope.timestamp)

    def _read_in_full(self, entry: KeyEntry, value: bytes) -> tuple[bytes | None, Envelope]:
        meaning = entry.meaning
        if meaning.error is not None:
            raise meaning.error
        if meaning.is_other or entry.coordinator_key is None:
            text = text_of(value)
            require_storable_text(text)
            return encode_body(other_body(text, meaning.is_sensitive, self.log.secrets)), Envelope()
        message = decode_message(entry.coordinator_key, value)
        body = message_body(message, meaning.is_sensitive, self.log.secrets)
        envelope = message.envelope or Envelope()
        require_storable(value, (body, envelope))
        return None if body is None else encode_body(body), envelope

    def _add_without_key(self, offset: int, record_time: int | None, value: bytes | None) -> None:
        if value is None:  # it means nothing
            row = MessageRow(offset, record_time, None, self.log.log_id, NO_KEY, None, None, *_NO_AUTHOR)
            self.messages.append(row)
            return
        error = WireError("null_key", "the record has a value but no key")
        self.quarantine.add(None, None, offset, record_time, value, error)


def gaps_between(last_offset: int, offsets: Sequence[int]) -> list[tuple[int, int]]:
    """The first and last missing offset of each gap after ``last_offset`` (-1: none), as compaction leaves them."""
    if not offsets or offsets[-1] - last_offset == len(offsets):
        return []
    gaps = []
    for offset in offsets:
        if offset > last_offset + 1:
            gaps.append((last_offset + 1, offset - 1))
        last_offset = offset
    return gaps
