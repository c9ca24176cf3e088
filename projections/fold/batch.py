"""The fold of one batch. Events go in by `BatchFold.add`; rows of every table come out.

Checkpoints wait until `BatchFold.checkpoint_rows` is drawn, so that they are decoded while their COPY is open and
the database works at the same time as Python. They wait by task: what its values have in common, and the pages of
the history's index that its rows go to, then are at hand in the processor's caches.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from operator import attrgetter, itemgetter
from typing import Final

from eventlog.errors import WireError
from eventlog.events import RecordedEvent
from eventlog.messages import Envelope, SetConfig
from eventlog.secrets.secret_policy import SecretPolicy
from eventlog.streams import StreamKind
from eventlog.timestamps import all_storable_micros, storable_micros
from eventlog.wire.coordinator import decode_message
from eventlog.wire.jackson import text_of
from projections.fold.bodies import encode_body, message_body, other_body
from projections.fold.checkpoints import (
    NULL,
    SEPARATOR,
    DecodedCheckpoint,
    decode_checkpoint,
    mask_opaque_markers,
    may_be_lower,
)
from projections.fold.held_text import refuse_unheld, require_held
from projections.fold.holes import holes
from projections.fold.keys import KeyDictionary, KeyEntry
from projections.fold.layouts import NO_OFFSETS, LayoutDictionary
from projections.fold.log_clock import LogClock
from projections.fold.new_layouts import NewLayouts
from projections.fold.other_version import NONE, UNHELD, TaskCheckpoints, Waiting, may_be_unread
from projections.fold.plain_config import read_plain_config
from projections.fold.rows import CheckpointRow, EnvelopeRow, MessageRow, QuarantineRow, SuspectRow, Swept
from projections.fold.skeleton import learn, read_fast

BEFORE_THE_FIRST: Final = -1
_SHORT_TEXT: Final = 200  # characters; longer ones are few, and would fill the memory
IDENTITY_KEYS = frozenset({"job.name", "job.id"})


class LogFold:
    """What the fold remembers of one log from batch to batch: its dictionaries, its time, its last event's offset.

    ``until_log_time``: events left before the next one that gets a row in ``log_time``.
    """

    def __init__(
        self,
        log_id: int,
        kind: StreamKind,
        secrets: SecretPolicy,
        log_time: int | None = None,
        last_offset: int = BEFORE_THE_FIRST,
        until_log_time: int = 0,
    ) -> None:
        self.log_id = log_id
        self.secrets = secrets
        self.keys = KeyDictionary(kind, secrets)
        self.layouts = LayoutDictionary()
        self.log_time = log_time
        self.until_log_time = until_log_time
        self.last_offset = last_offset
        self.masked_author = lru_cache(maxsize=1_000)(self._masked_author)
        self._short_holds_secret = lru_cache(maxsize=4_000)(secrets.holds_secret)

    def holds_secret(self, text: str) -> bool:
        """As that of the secrets; each start of a job writes the same config values again."""
        return self._short_holds_secret(text) if len(text) <= _SHORT_TEXT else self.secrets.holds_secret(text)

    def _masked_author(self, *author: str | None) -> tuple[str | None, ...]:
        """Source, host and username: free texts, so a secret may stand there too. The same few come again and again."""
        return tuple(None if text is None else self.secrets.mask_text(text) for text in author)


class BatchFold:
    """Rows that a batch of one log's events makes. ``archived_at`` in microseconds since 2000.

    ``messages``, ``envelopes``, ``suspects`` and ``quarantined`` are rows to append. ``last_messages`` and
    ``last_checkpoints`` hold the newest row of each key that the batch touched, for the current tables. ``resolved``
    are (key, offset): earlier quarantined events of the key are done with. ``gaps`` are first and last offset of what
    is missing between the log's events.
    """

    def __init__(self, log: LogFold, archived_at: int) -> None:
        self.log = log
        self.archived_at = archived_at
        self._entries = log.keys.entries
        self._new_layouts = NewLayouts(log.layouts)
        self._tasks: dict[TaskCheckpoints, None] = {}
        """Those with checkpoints that wait."""
        self._learnt: list[KeyEntry] = []
        self.clock = LogClock(log.log_time, archived_at, log.until_log_time)
        self.messages: list[MessageRow] = []
        self.envelopes: list[EnvelopeRow] = []
        self.suspects: list[SuspectRow] = []
        self.quarantined: list[QuarantineRow] = []
        self.resolved: list[tuple[int, int]] = []
        self.gaps: list[tuple[int, int]] = []
        self.last_messages: dict[int, MessageRow] = {}
        self.last_checkpoints: dict[int, CheckpointRow] = {}
        self.names_job = False

    def add(self, events: Sequence[RecordedEvent]) -> None:
        """Take the next events of the log."""
        if not events:
            return
        self.gaps += holes(self.log.last_offset, events)
        self.log.last_offset = events[-1].offset
        entries, tasks, new_entry = self._entries, self._tasks, self.log.keys.add
        times = all_storable_micros([event[1] for event in events])
        self.clock.take([event[0] for event in events], times)
        for (offset, _, _, key, value, _, _), record_time in zip(events, times, strict=True):
            if key is None:
                self._add_without_key(offset, record_time, value)
                continue
            entry = entries.get(key) or new_entry(key)
            task = entry.task
            if task is None:
                self._add_message(entry, key, offset, record_time, value)
                continue
            waiting = task.waiting
            if not waiting:
                tasks[task] = None
            waiting.append((offset, record_time, value, entry))

    def sweep(self, swept: Sequence[Swept]) -> None:
        """Take keys that are gone, all events up to theirs having been added."""
        for at_offset, key in swept:
            entry = self._entries.get(key) or self.log.keys.add(key)
            if entry.task is None:
                self._add_message(entry, key, at_offset, None, None)
            else:
                self._tasks[entry.task] = None
                entry.task.swept.append((at_offset, None, None, entry))

    def checkpoint_rows(self) -> Iterator[CheckpointRow]:
        """Decode the batch's checkpoints, task by task, those of a task by offset. To be drawn to its end, once.

        Rows with a new layout come last, when its number is known.
        """
        unnumbered: list[CheckpointRow] = []
        for task in sorted(self._tasks, key=attrgetter("key_id")):
            for row in self._rows_of(task):
                if row[4] is not None and row[4] < 0:
                    unnumbered.append(row)
                else:
                    yield row
        yield from self._numbered(unnumbered)
        self.log.log_time, self.log.until_log_time = self.clock.now, self.clock.until_row

    def _rows_of(self, task: TaskCheckpoints) -> Iterator[CheckpointRow]:
        waiting, task.waiting = task.waiting, []
        if not task.swept:
            yield from self._read(waiting, task.newest_times)
            return
        swept, task.swept = task.swept, []
        at_offset = swept[0][0]
        is_lower = bool(waiting) and waiting[-1][0] < at_offset
        yield from self._read(waiting if is_lower else waiting[:-1], task.newest_times)
        below = list(task.newest_times)  # keys that are gone share an offset, which an event may have too
        yield from self._read([] if is_lower else waiting[-1:], task.newest_times)
        for one in swept:
            if one[0] > at_offset:
                at_offset, below = one[0], list(task.newest_times)
            yield from self._read([one], list(below))
            task.newest_times[one[3].meaning.checkpoint_version or 0] = NONE

    def _read(self, waiting: Sequence[Waiting], newest_times: list[int | None]) -> Iterator[CheckpointRow]:
        log_id, new_row, last = self.log.log_id, tuple.__new__, self.last_checkpoints
        for offset, record_time, value, entry in waiting:
            template, version = entry.template, entry.version
            other_time = newest_times[3 - version]
            fast = None if value is None or template is None else read_fast(template, value)
            if fast is None or entry.is_quarantined:
                read = self._read_in_full(entry, offset, record_time, value)
                if read is None:
                    continue
                row, is_unsure = read._replace(other_version_time=other_time), True
            else:
                layout_id, offsets, checkpoint_id, message_ms, is_unsure = fast
                if template.envelope is not None:
                    self._add_envelope(offset, template.envelope, message_ms)
                # made by the hundred thousand: the class itself takes thrice the time
                key_id = entry.key_id
                fields = (offset, record_time, log_id, key_id, layout_id, checkpoint_id, offsets, None, other_time)
                row = new_row(CheckpointRow, fields)
            before = entry.newest
            is_lower = is_unsure and may_be_lower(row, before)
            is_unread = record_time is not None and may_be_unread(record_time, other_time, before)
            if is_lower or is_unread:
                self.suspects.append(SuspectRow(offset, log_id, entry.key_id, is_lower, is_unread))
            newest_times[version] = NONE if row[4] is None else UNHELD if record_time is None else record_time
            last[entry.key_id] = entry.newest = row
            yield row

    def _numbered(self, rows: list[CheckpointRow]) -> Iterator[CheckpointRow]:
        numbers = self._new_layouts.settle(row.layout_id or NO_OFFSETS for row in sorted(rows, key=itemgetter(0)))
        for entry in self._learnt if numbers else ():
            if entry.template is not None and entry.template.layout_id in numbers:
                entry.template = entry.template._replace(layout_id=numbers[entry.template.layout_id])
        for row in rows:
            numbered = row._replace(layout_id=numbers[row.layout_id or NO_OFFSETS])
            if self.last_checkpoints[row.key_id] is row:
                self.last_checkpoints[row.key_id] = numbered
            yield numbered
        for entry in self._learnt if numbers else ():
            entry.newest = self.last_checkpoints.get(entry.key_id, entry.newest)

    def _read_in_full(
        self, entry: KeyEntry, offset: int, record_time: int | None, value: bytes | None
    ) -> CheckpointRow | None:
        version = entry.meaning.checkpoint_version or 0
        log_id, key_id = self.log.log_id, entry.key_id
        if value is None:
            self._resolve(entry, offset)
            return CheckpointRow(offset, record_time, log_id, key_id)
        try:
            decoded = decode_checkpoint(version, entry.coordinator_key, value)
        except WireError as error:
            self._quarantine(entry, None, offset, record_time, value, error)
            return None
        self._resolve(entry, offset)
        if decoded is None:
            return CheckpointRow(offset, record_time, log_id, key_id)
        decoded = mask_opaque_markers(decoded, self.log.secrets)
        if decoded.duplicates:
            note = WireError("duplicate_partition", "a partition stands twice in the checkpoint: the last one counts")
            self._quarantine(entry, None, offset, record_time, value, note)
        if decoded.envelope is not None:
            self._add_envelope(offset, decoded.envelope, decoded.envelope.timestamp)
        layout_id = self._new_layouts.id_of(decoded.layout)
        entry.template = learn(version, entry.coordinator_key, value, decoded, layout_id)
        self._learnt.append(entry)
        return CheckpointRow(offset, record_time, log_id, key_id, layout_id, *_stored(decoded))

    def _add_message(
        self, entry: KeyEntry, key: bytes, offset: int, record_time: int | None, value: bytes | None
    ) -> None:
        try:
            body, envelope = self._read_message(entry, value)
        except WireError as error:
            self._quarantine(entry, key, offset, record_time, value, error)
            return
        self._resolve(entry, offset)
        if entry.meaning.error is not None:
            return
        author = self.log.masked_author(envelope.source, envelope.host, envelope.username)
        message_time = storable_micros(envelope.timestamp)
        row = MessageRow(offset, record_time, message_time, self.log.log_id, entry.key_id, body, *author)
        self.messages.append(row)
        self.last_messages[entry.key_id] = row
        self.names_job = self.names_job or entry.meaning.message_key in IDENTITY_KEYS

    def _read_message(self, entry: KeyEntry, value: bytes | None) -> tuple[bytes | None, Envelope]:
        meaning = entry.meaning
        if value is None:
            return None, Envelope()
        if meaning.error is not None:
            raise meaning.error
        if meaning.is_other or entry.coordinator_key is None:
            text = text_of(value)
            refuse_unheld(text)
            return encode_body(other_body(text, meaning.is_sensitive, self.log.secrets)), Envelope()
        if meaning.message_type == SetConfig.message_type:
            plain = read_plain_config(value, meaning.is_sensitive, self.log.secrets, self.log.holds_secret)
            if plain is not None:
                return plain
        message = decode_message(entry.coordinator_key, value)
        body = message_body(message, meaning.is_sensitive, self.log.secrets)
        envelope = message.envelope or Envelope()
        require_held(value, (body, envelope))
        return None if body is None else encode_body(body), envelope

    def _add_envelope(self, offset: int, envelope: Envelope, message_ms: int | None) -> None:
        author = self.log.masked_author(envelope.source, envelope.host, envelope.username)
        self.envelopes.append(EnvelopeRow(offset, storable_micros(message_ms), self.log.log_id, *author))

    def _add_without_key(self, offset: int, record_time: int | None, value: bytes | None) -> None:
        if value is not None:  # else it says nothing at all
            error = WireError("null_key", "the record has a value but no key")
            self._quarantine(None, None, offset, record_time, value, error)

    def _resolve(self, entry: KeyEntry, offset: int) -> None:
        if entry.is_quarantined:
            entry.is_quarantined = False
            self.resolved.append((entry.key_id, offset))

    def _quarantine(
        self,
        entry: KeyEntry | None,
        key: bytes | None,
        offset: int,
        record_time: int | None,
        value: bytes | None,
        error: WireError,
    ) -> None:
        if entry is not None:
            entry.is_quarantined = True
        self.quarantined.append(
            QuarantineRow(
                offset,
                record_time,
                self.log.log_id,
                None if entry is None else entry.key_id,
                None if value is None else len(value),
                error.reason,
                error.detail,
                self._key_text(entry, key),
                None if value is None else self.log.secrets.fingerprint(value),
            )
        )

    def _key_text(self, entry: KeyEntry | None, key: bytes | None) -> str | None:
        secrets = self.log.secrets
        if entry is None:
            return None
        if entry.meaning.error is None or key is None:
            return secrets.mask_text(entry.meaning.message_key or "")
        text = key.decode("utf-8", "backslashreplace").replace("\0", "\\x00")
        return secrets.fingerprint(text) if secrets.is_secret_name(text) else secrets.mask_text(text)


def _stored(decoded: DecodedCheckpoint) -> tuple[bytes | None, bytes | None, list[str | None] | None]:
    """Checkpoint id, offsets and odd offsets as the row has them."""
    checkpoint_id = None if decoded.checkpoint_id is None else decoded.checkpoint_id.encode()
    odd = any(text is not None and (SEPARATOR in text or text == NULL) for text in decoded.offsets)
    if odd:
        return checkpoint_id, None, decoded.offsets
    return checkpoint_id, SEPARATOR.join(NULL if text is None else text for text in decoded.offsets).encode(), None
