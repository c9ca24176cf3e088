"""The checkpoints of a batch. They are collected by task and decoded while their COPY is open.

So the database works at the same time as Python; and the template of a key's values, and the pages of the history's
index that the rows go to, are in the processor's caches.
"""

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Final

from eventlog.compiled import compiled_part
from eventlog.errors import WireError
from eventlog.messages import Envelope
from eventlog.timestamps import storable_micros
from projections.fold.checkpoint_template import Template, learn
from projections.fold.checkpoints import (
    NULL,
    SEPARATOR,
    DecodedCheckpoint,
    decode_checkpoint,
    mask_checkpoint,
)
from projections.fold.keys import (
    FIELDS,
    FIVE_MINUTES,
    NO_TIME,
    NOT_STORABLE,
    CheckpointEvent,
    CheckpointEvents,
    KeyEntry,
    TaskCheckpoints,
    may_be_lower,
    may_be_unread,
)
from projections.fold.log_fold import LogFold, QuarantinedEvents
from projections.fold.rows import SWEPT, CheckpointRow, EnvelopeRow, SuspectRow

_compiled = compiled_part("projections.fold._checkpoints")

WriteCheckpoints = Callable[[Sequence[CheckpointRow]], None]

_ROWS_AT_ONCE: Final = 200
"""More would no longer be in the processor's caches when they are written."""


class CheckpointBatch:
    """``envelopes`` and ``suspects`` are rows to append; ``last_rows`` has the newest row of each key in the batch.

    ``events`` are those to decode, by task and offset. `sweep` adds deletes after them.
    """

    def __init__(self, log: LogFold, quarantine: QuarantinedEvents) -> None:
        self._log = log
        self._quarantine = quarantine
        self._swept: dict[TaskCheckpoints, list[CheckpointEvent]] = {}
        self.events: dict[TaskCheckpoints, CheckpointEvents] = {}
        self.envelopes: list[EnvelopeRow] = []
        self.suspects: list[SuspectRow] = []
        self.last_rows: dict[int, CheckpointRow] = {}

    def sweep(self, task: TaskCheckpoints, delete: CheckpointEvent) -> None:
        """Add a delete of a key that is missing from the log, after all events up to its offset."""
        self._swept.setdefault(task, []).append(delete)

    def decode(self, write: WriteCheckpoints) -> None:
        """Decode the events and write their rows task by task, by offset."""
        rows: list[CheckpointRow] = []
        for task in sorted(self.events.keys() | self._swept.keys(), key=attrgetter("key_id")):
            self._decode_task(task, self.events.pop(task, []), self._swept.pop(task, []), rows)
            if len(rows) >= _ROWS_AT_ONCE:
                write(rows)
                rows = []
        write(rows)

    def _decode_task(
        self,
        task: TaskCheckpoints,
        events: CheckpointEvents,
        swept: list[CheckpointEvent],
        rows: list[CheckpointRow],
    ) -> None:
        if not swept:
            self._read(events, task, task.newest_times, rows)
            return
        at_offset = swept[0][0]
        is_lower = bool(events) and events[-FIELDS] < at_offset
        self._read(events if is_lower else events[:-FIELDS], task, task.newest_times, rows)
        below = list(task.newest_times)  # the deleted keys share an offset, which an event may have too
        self._read([] if is_lower else events[-FIELDS:], task, task.newest_times, rows)
        for delete in swept:
            if delete[0] > at_offset:
                at_offset, below = delete[0], list(task.newest_times)
            self._read(list(delete), task, list(below), rows)
            rows[-1] = rows[-1]._replace(value_bytes=SWEPT)
            task.newest_times[delete[3].version] = NO_TIME

    def _read(
        self, events: CheckpointEvents, task: TaskCheckpoints, times: list[int | None], rows: list[CheckpointRow]
    ) -> None:
        """Read events of a task. The compiled part takes the ordinary ones, and stops at each of the others."""
        if _compiled is None:
            self._read_each(events, task.newest, times, rows)
            return
        types = (CheckpointRow, EnvelopeRow)
        batch = (task.newest, times, self._log.log_id, *types, self.last_rows, rows, self.envelopes)
        at = 0
        while (at := _compiled.read_ordinary(events, at, *batch)) < len(events) // FIELDS:
            self._read_each(events[FIELDS * at : FIELDS * (at + 1)], task.newest, times, rows)
            at += 1

    def _read_each(
        self,
        events: CheckpointEvents,
        newest: list[CheckpointRow | None],
        newest_times: list[int | None],
        rows: list[CheckpointRow],
    ) -> None:
        log_id, new_row, last_rows, add_row = self._log.log_id, tuple.__new__, self.last_rows, rows.append
        left = iter(events)
        for offset, record_time, value, entry in zip(left, left, left, left, strict=True):
            template, version, previous = entry.template, entry.version, newest[entry.version]
            other_time = newest_times[3 - version]
            fast = None if value is None or template is None else template.read(value)
            if fast is None or template is None or entry.is_quarantined:
                read = self._read_in_full(entry, offset, record_time, value)
                if read is None:
                    continue
                row = read._replace(other_version_time=other_time, value_bytes=None if value is None else len(value))
                layout_id, is_lower = row.layout_id, may_be_lower(row, previous)
            else:
                offsets, checkpoint_id, message_ms, is_lower = fast
                layout_id = template.layout_id
                if template.author is not None:
                    time = storable_micros(message_ms)
                    self.envelopes.append(new_row(EnvelopeRow, (offset, time, log_id, *template.author)))
                key_id = entry.key_id
                names = (offset, record_time, log_id, key_id, layout_id)  # a third of the time of CheckpointRow(...)
                row = new_row(CheckpointRow, (*names, checkpoint_id, offsets, None, other_time, len(value)))
                is_other = previous is not None and (previous.key_id != key_id or previous.layout_id != layout_id)
                is_lower = (is_lower or is_other) and may_be_lower(row, previous)
            is_unread = (
                other_time is not None
                and record_time is not None
                and NO_TIME < other_time < record_time - FIVE_MINUTES
                and may_be_unread(other_time, previous)
            )
            if is_lower or is_unread:
                self.suspects.append(SuspectRow(offset, log_id, entry.key_id, is_lower, is_unread))
            stored_time = NOT_STORABLE if record_time is None else record_time
            newest_times[version] = NO_TIME if layout_id is None else stored_time
            last_rows[entry.key_id] = newest[version] = row
            add_row(row)

    def _read_in_full(
        self, entry: KeyEntry, offset: int, record_time: int | None, value: bytes | None
    ) -> CheckpointRow | None:
        log_id, key_id = self._log.log_id, entry.key_id
        try:
            decoded = None if value is None else decode_checkpoint(entry.version, entry.coordinator_key, value)
        except WireError as error:
            self._quarantine.add(entry, None, offset, record_time, value, error)
            return None
        self._quarantine.resolve(entry, offset)
        if value is None or decoded is None:
            return CheckpointRow(offset, record_time, log_id, key_id)
        decoded = mask_checkpoint(decoded, self._log.secrets)
        if decoded.duplicates:
            note = WireError("duplicate_partition", "a partition is repeated in the checkpoint: the last one counts")
            self._quarantine.add(entry, None, offset, record_time, value, note)
        layout_id = self._log.layouts.id_of(decoded.layout)
        entry.template = learn(entry.version, entry.coordinator_key, value, decoded, layout_id, self._log.roles)
        if decoded.envelope is not None:
            self._add_envelope(offset, decoded.envelope, entry.template)
        return CheckpointRow(offset, record_time, log_id, key_id, layout_id, *_stored(decoded))

    def _add_envelope(self, offset: int, envelope: Envelope, template: Template | None) -> None:
        author = self._log.masked_author(envelope.source, envelope.host, envelope.username)
        self.envelopes.append(EnvelopeRow(offset, storable_micros(envelope.timestamp), self._log.log_id, *author))
        if template is not None:
            template.author = author


def _stored(decoded: DecodedCheckpoint) -> tuple[bytes | None, bytes | None, list[str | None] | None]:
    """Return checkpoint id, offsets and odd offsets as in the row."""
    checkpoint_id = None if decoded.checkpoint_id is None else decoded.checkpoint_id.encode()
    if any(text is not None and (SEPARATOR in text or text == NULL) for text in decoded.offsets):
        return checkpoint_id, None, decoded.offsets
    return checkpoint_id, SEPARATOR.join(NULL if text is None else text for text in decoded.offsets).encode(), None
