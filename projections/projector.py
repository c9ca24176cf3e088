"""The projector: archives and folds batches of one log's events, each in one transaction with the log's position."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from datetime import datetime
from functools import partial
from itertools import chain, repeat
from types import MappingProxyType
from typing import Any, Final, TypeVar

from psycopg.pq import TransactionStatus

from eventlog.events import EventColumns, RecordedEvent, bytes_of, no_collections
from eventlog.postgres.archive import ARCHIVED, archive_rows
from eventlog.postgres.connection import CONFLICTS, Connection
from eventlog.postgres.copy_rows import Copies, Meanwhile, copying, json_rows
from eventlog.postgres.table_partitions import ensure_partition, ranges_of
from eventlog.timestamps import micros_of
from projections.batch_writes import (
    CHECKPOINT_EVENT,
    MESSAGE_EVENT,
    Touched,
    append_histories,
    envelope_rows,
    keep_current,
    other_rows,
)
from projections.errors import LogRebuilt, PositionMoved
from projections.fold.batch import BatchFold
from projections.fold.log_fold import LogFold
from projections.fold.rows import CheckpointRow, Swept
from projections.fold.settings import FoldSettings
from projections.fold_state import load_fold
from projections.tracked_logs import TrackedLog, name_job, reload_log

Clock = Callable[[], datetime]
OnStep = Callable[[str], None]

BATCH_EVENTS: Final = 120_000
BATCH_BYTES: Final = 64 << 20
"""How many events, and bytes of keys and values, a batch has at most."""

FEW_EVENTS: Final = 80
FEW_BYTES: Final = 64 << 10
"""Batches of at most this many events, and bytes of keys and values, are sent as JSON in one statement."""

_ALTERNATING_EVENTS: Final = 500
"""Archiving and folding alternate, so that the server archives while we fold."""

POSITION_CHANNEL: Final = "coordstream_position"
"""Notified of every new position; the payload is JSON: stream_name, stream_kind, incarnation, next_offset."""

_HOLD: Final = "select from projection.position where log_id = %s and next_offset = %s and rebuilds = %s for update"
_MOVE: Final = "select projection.move_position(%s, %s, %s, %s, %s, %s::jsonb)"
_REBUILDS: Final = "select rebuilds from projection.position where log_id = %s"
CONFLICT_TRIES: Final = 5
Result = TypeVar("Result")


def retry_conflicts(step: Callable[[], Result]) -> Result:
    """Return the result of a step that is one transaction; try it again after a conflict, `CONFLICT_TRIES` times."""
    for _ in range(CONFLICT_TRIES):
        try:
            return step()
        except CONFLICTS:
            continue
    return step()


class LogPartitions:
    """Creates the partitions of a log's rows, once each. ``archives``: also those of the archive are needed."""

    def __init__(self, connection: Connection, *, archives: bool = True) -> None:
        self._connection = connection
        self._archives = archives
        self._existing: set[int] = set()

    def ensure(self, events: Sequence[RecordedEvent], swept: Sequence[Swept] = ()) -> None:
        """Create a batch's partitions, before its transaction: in it, they would block the writers of other logs."""
        offsets = [events[0].offset, events[-1].offset] if events else []
        if len(ranges_of(offsets)) > 1:  # otherwise there are no others between them
            offsets = [event.offset for event in events]
        firsts = set(ranges_of(chain(offsets, (at_offset for at_offset, _ in swept))))
        self.make(firsts - self._existing)
        self._existing |= firsts

    def make(self, firsts: Iterable[int]) -> None:
        for first in sorted(firsts):
            ensure_partition(self._connection, "projection", "checkpoint_event", first)
            if self._archives:
                ensure_partition(self._connection, "eventlog", "event", first)


class Projector:
    """Folds one log. Not safe for threads; a second projector of the same log is stopped by `PositionMoved`.

    ``archives``: events are also copied into the archive. Those of Kafka and of recordings must be; those of a Postgres
    log are already there. Batches of more than ``few_events`` events are sent by COPY. ``on_step`` is called with the
    name of each completed step of a batch: ``folded`` (the position has not moved yet) and ``committed``, and of a
    batch sent by COPY also ``archived`` and ``merged``, before and after ``folded``. ``partitions`` creates those of
    the batches, for a caller whose transaction has several of them.
    """

    def __init__(
        self,
        connection: Connection,
        log: TrackedLog,
        settings: FoldSettings,
        clock: Clock,
        *,
        archives: bool = True,
        few_events: int = FEW_EVENTS,
        on_step: OnStep = lambda _: None,
        partitions: LogPartitions | None = None,
    ) -> None:
        log.require_fold_version(settings)
        self._connection = connection
        self._log = log
        self._settings = settings
        self._clock = clock
        self._archives = archives
        self._few_events = few_events
        self._on_step = on_step
        self._fold: LogFold | None = None
        self._touched = Touched()
        self._partitions = partitions or LogPartitions(connection, archives=archives)
        self.next_offset = log.next_offset

    def apply(
        self,
        events: Sequence[RecordedEvent],
        *,
        swept: Sequence[Swept] = (),
        meanwhile: Meanwhile = lambda: None,
        further: Iterable[Sequence[RecordedEvent]] = (),
    ) -> int:
        """Fold the log's next events, in offset order, none below ``next_offset``, then deletes of the ``swept`` keys.
        Return how many of them were put in quarantine.

        ``meanwhile`` is called just before few events are sent, and several times while the server stores many; it may
        not use the connection. The batch is committed completely or not at all. After an error the projector can be
        used again, unless the batch was part of a transaction of the caller's. ``further`` are the next batches, for
        the same transaction: current rows are kept once, at its end. They are not taken if the events are few.

        Raises:
            PositionMoved: another projector has folded events of this log.
            ValueError: the events do not begin at or after the position.
        """
        if not events and not swept:
            return 0
        if events and events[0].offset < self.next_offset:
            raise ValueError(f"events begin at {events[0].offset}, before the position {self.next_offset}")
        is_nested = self._connection.info.transaction_status is not TransactionStatus.IDLE
        log_fold = self._fold or self._load_fold(is_nested=is_nested)
        self._fold = None  # the ids of a failed transaction must be forgotten
        next_offset = events[-1].offset + 1 if events else self.next_offset
        fold = BatchFold(log_fold, micros_of(self._clock()))
        self._touched = Touched()
        self._partitions.ensure(events, swept)
        if self._are_few(events, swept):
            rows = self._rows(events, swept, fold)
            meanwhile()
            self._move_with_rows(next_offset, rows)
        else:
            with no_collections(freeze=True), self._connection.transaction():
                self._hold()
                with copying(self._connection, meanwhile) as copies:
                    self._write(copies, events, swept, fold)
                    for batch in further:
                        fold = BatchFold(log_fold, micros_of(self._clock()))
                        copies.run(partial(self._partitions.ensure, batch))
                        self._write(copies, batch, (), fold)
                        next_offset = batch[-1].offset + 1
                    copies.run(partial(keep_current, self._connection, self._log.log_id, self._touched))
                self._name_job()
                self._on_step("merged")
                self._move(next_offset)
        self._fold = log_fold
        self.next_offset = next_offset
        self._on_step("committed")
        return self._touched.quarantined

    def _are_few(self, events: Sequence[RecordedEvent], swept: Sequence[Swept]) -> bool:
        if len(events) + len(swept) > self._few_events:
            return False
        return bytes_of(events) + sum(len(key) for _, key in swept) <= FEW_BYTES

    def _load_fold(self, *, is_nested: bool) -> LogFold:
        if self.next_offset == 0:  # nothing was folded
            return LogFold(self._log.log_id, self._log.stream.stream_kind, self._settings.secrets)
        if is_nested:  # before the archive is read, whose readers a retention waits for
            self._hold()
        with no_collections(freeze=True):
            return load_fold(self._connection, self._log, self._settings)

    def reload(self) -> None:
        """After LogRebuilt, continue at the log's position, with its rows as they are now."""
        self._log = reload_log(self._connection, self._log)
        self._log.require_fold_version(self._settings)
        self._fold, self.next_offset = None, self._log.next_offset

    def pass_to(self, next_offset: int) -> None:
        """Move the position past offsets at which the log has no events. Raises PositionMoved."""
        self._move(next_offset)
        self.next_offset = next_offset

    def _write(self, copies: Copies, events: Sequence[RecordedEvent], swept: Sequence[Swept], fold: BatchFold) -> None:
        """Write many events with one COPY per table."""
        self._take(copies, events, fold)
        fold.sweep(swept)
        self._on_step("archived")
        append_histories(self._connection, copies, fold)
        self._touched.add(fold)
        self._on_step("folded")

    def _take(self, copies: Copies, events: Sequence[RecordedEvent], fold: BatchFold) -> None:
        """Add the events to the fold, and to the archive if we keep it."""
        if not self._archives:
            fold.add(EventColumns.of(events))
            return
        with copies.open(ARCHIVED) as write:
            for first in range(0, len(events), _ALTERNATING_EVENTS):
                some = EventColumns.of(events[first : first + _ALTERNATING_EVENTS])
                write(archive_rows(self._log.log_id, repeat(fold.archived_at), some))
                fold.add(some)

    def _rows(self, events: Sequence[RecordedEvent], swept: Sequence[Swept], fold: BatchFold) -> dict[str, Any]:
        columns = EventColumns.of(events)
        fold.add(columns)
        fold.sweep(swept)
        archived = archive_rows(self._log.log_id, repeat(fold.archived_at), columns) if self._archives else ()
        checkpoints: list[CheckpointRow] = []
        fold.decode(checkpoints.extend)
        histories = [(CHECKPOINT_EVENT, checkpoints), envelope_rows(fold), (MESSAGE_EVENT, fold.messages)]
        tables = chain([(ARCHIVED, archived)], histories, other_rows(fold))
        rows: dict[str, Any] = {columns.table: json_rows(columns, rows) for columns, rows in tables}
        rows["resolved"] = [{"key_id": key_id, "resolved_by": offset} for key_id, offset in fold.quarantine.resolved]
        self._touched.add(fold)
        rows["touched"] = self._touched.keys()
        self._on_step("folded")
        return {table: some for table, some in rows.items() if some}

    def _move_with_rows(self, next_offset: int, rows: Mapping[str, Any]) -> None:
        with self._connection.transaction() if self._touched.names_job else nullcontext():
            self._move(next_offset, rows)
            self._name_job()

    def _name_job(self) -> None:
        if self._touched.names_job and self._log.is_current:
            name_job(self._connection, self._log.stream)

    def _hold(self) -> None:
        """Lock the position, or raise the error for another session's change of it."""
        held = self._connection.execute(_HOLD, (self._log.log_id, self.next_offset, self._log.rebuilds))
        if held.fetchone() is None:
            raise self._conflict()

    def _conflict(self) -> PositionMoved | LogRebuilt:
        stream_name = self._log.stream.stream_name
        if self._connection.execute(_REBUILDS, (self._log.log_id,)).fetchone() != (self._log.rebuilds,):
            return LogRebuilt(stream_name)
        return PositionMoved(stream_name, self.next_offset)

    def _move(self, next_offset: int, rows: Mapping[str, Any] = MappingProxyType({})) -> None:
        stream = self._log.stream
        notice = {
            "stream_name": stream.stream_name,
            "stream_kind": stream.stream_kind,
            "incarnation": self._log.incarnation,
            "next_offset": next_offset,
        }
        place = (self._log.log_id, self._log.rebuilds, self.next_offset)
        values = (*place, next_offset, json.dumps(notice), json.dumps(dict(rows)))
        if self._connection.execute(_MOVE, values, prepare=True).fetchone() != (True,):
            raise self._conflict()


MakeProjector = Callable[..., Projector]
"""Makes the projector of a log: `Projector`, or a ``partial`` of it."""
