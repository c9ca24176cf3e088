"""The projector: archives and folds batches of one log's events, each in one transaction with the log's position."""

import gc
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Final

from psycopg import Pipeline

from eventlog.archive import archive_few, archive_writer
from eventlog.connection import Connection
from eventlog.events import RecordedEvent
from eventlog.partitions import ensure_partition, ranges_of
from eventlog.row_writing import FEW_EVENTS, copy_rows, insert_rows
from eventlog.timestamps import micros_of
from projections.current_rows import merge_few, merge_many, prepare
from projections.errors import PositionMoved
from projections.fold.batch import BatchFold, LogFold
from projections.fold.rows import Swept
from projections.fold.settings import FoldSettings
from projections.history_rows import append_histories
from projections.registry import RegisteredLog, load_fold, name_job

Clock = Callable[[], datetime]
OnStep = Callable[[str], None]

BATCH_EVENTS: Final = 40_000
_ALTERNATING_EVENTS: Final = 500
"""Archiving and folding take turns, so that the server archives while we fold."""

POSITION_CHANNEL: Final = "coordstream_position"
"""Where moves of positions are notified; the payload is JSON: stream_name, stream_kind, incarnation, next_offset."""

_HOLD: Final = "select from projection.position where log_id = %s and next_offset = %s for update"
_MOVE: Final = """
update projection.position
set next_offset = %(to)s, heartbeat_at = %(now)s,
    read_at = case when %(to)s >= end_offset then %(now)s else read_at end,
    end_offset = case when %(to)s > end_offset then %(to)s else end_offset end
where log_id = %(log_id)s and next_offset = %(from)s
returning log_id
"""
_NOTIFY: Final = "select pg_notify(%s, %s)"


@dataclass(frozen=True)
class Applied:
    """What a batch did: events taken, how many of them went to quarantine, the position after it."""

    events: int
    quarantined: int
    next_offset: int


class Projector:
    """Folds one log. Not safe for threads; a second projector of the same log is stopped by `PositionMoved`.

    ``archives``: events are also copied into the archive, as those of Kafka and of recordings must be; those of a
    Postgres log stand there already. ``on_step`` is told the name of each step of a batch as it is done: ``archived``,
    ``folded``, ``merged`` (the position not yet moved) and ``committed``.
    """

    def __init__(
        self,
        connection: Connection,
        log: RegisteredLog,
        settings: FoldSettings,
        clock: Clock,
        *,
        archives: bool = True,
        on_step: OnStep | None = None,
    ) -> None:
        log.require_fold_version(settings)
        self._connection = connection
        self._log = log
        self._settings = settings
        self._clock = clock
        self._archives = archives
        self._on_step = on_step
        self._pipeline: Pipeline | None = None
        self._fold: LogFold | None = None
        self._partitions: set[int] = set()
        self.next_offset = log.next_offset
        prepare(connection)

    def apply(self, events: Sequence[RecordedEvent], *, swept: Sequence[Swept] = ()) -> Applied:
        """Take the log's next events, in offset order, none below ``next_offset``, and then the keys that are gone.

        Everything of the batch is committed, or nothing. After an error that is not of the caller's making the
        projector may go on; within a transaction of the caller's it is to be thrown away if that fails.

        Raises:
            PositionMoved: another projector has taken events of this log meanwhile.
            ValueError: the events do not begin at or after the position.
        """
        if not events and not swept:
            return Applied(0, 0, self.next_offset)
        if events and events[0].offset < self.next_offset:
            raise ValueError(f"events begin at {events[0].offset}, before the position {self.next_offset}")
        log_fold = self._fold or load_fold(self._connection, self._log, self._settings)
        self._fold = None  # ids given in a transaction that fails must not be remembered
        now, next_offset = self._clock(), events[-1].offset + 1 if events else self.next_offset
        missing = self._missing_partitions(events, swept)
        are_few = len(events) + len(swept) <= FEW_EVENTS and not missing  # psycopg's pipelines do not bear ALTER
        with self._transaction(are_few):
            self._hold()
            self._make_partitions(missing)
            fold = self._write(events, swept, log_fold, now, are_few)
            self._say_done("merged")
            self._move(next_offset, now)
        self._fold = log_fold
        self.next_offset = next_offset
        self._say_done("committed")
        return Applied(len(events), len(fold.quarantined), next_offset)

    def pass_to(self, next_offset: int) -> None:
        """Move the position over offsets at which the log has no events.

        Raises:
            PositionMoved: another projector has moved it meanwhile.
        """
        with self._transaction(are_few=True):
            self._move(next_offset, self._clock())
        self.next_offset = next_offset

    @contextmanager
    def _transaction(self, are_few: bool) -> Iterator[None]:
        try:
            with (
                self._connection.pipeline() if are_few else _no_collections() as self._pipeline,
                self._connection.transaction(),
            ):
                yield
        except BaseException:
            self._partitions.clear()  # what was made here is not there
            raise
        finally:
            self._pipeline = None

    def _write(
        self, events: Sequence[RecordedEvent], swept: Sequence[Swept], log_fold: LogFold, now: datetime, are_few: bool
    ) -> BatchFold:
        fold = BatchFold(log_fold, micros_of(now))
        self._take(events, fold, micros_of(now), are_few)
        fold.sweep(swept)
        self._say_done("archived")
        append_histories(self._connection, insert_rows if are_few else copy_rows, log_fold, fold)
        self._say_done("folded")
        (merge_few if are_few else merge_many)(self._connection, fold)
        if fold.names_job and self._log.is_current:
            name_job(self._connection, self._log.stream)
        return fold

    def _take(self, events: Sequence[RecordedEvent], fold: BatchFold, archived_at: int, are_few: bool) -> None:
        """Archive the events, where that is ours to do, and add them to the fold."""
        if are_few or not self._archives:
            if self._archives:
                archive_few(self._connection, self._log.log_id, archived_at, events)
            fold.add(events)
            return
        with archive_writer(self._connection, self._log.log_id, archived_at) as write:
            for first in range(0, len(events), _ALTERNATING_EVENTS):
                some = events[first : first + _ALTERNATING_EVENTS]
                write(some)
                fold.add(some)

    def _missing_partitions(self, events: Sequence[RecordedEvent], swept: Sequence[Swept]) -> set[int]:
        """First offsets of partitions that are not known to be there."""
        offsets = chain((event.offset for event in events), (at_offset for at_offset, _ in swept))
        return set(ranges_of(offsets)) - self._partitions

    def _make_partitions(self, missing: set[int]) -> None:
        for first in sorted(missing):
            ensure_partition(self._connection, "projection", "checkpoint_event", first)
            if self._archives:
                ensure_partition(self._connection, "eventlog", "event", first)
        self._partitions |= missing

    def _say_done(self, step: str) -> None:
        if self._on_step is None:
            return
        if self._pipeline is not None:
            self._pipeline.sync()  # else the server might not have done it yet
        self._on_step(step)

    def _hold(self) -> None:
        """Wait for another projector of this log and stop if it moved the position, before its rows are met."""
        held = self._connection.execute(_HOLD, (self._log.log_id, self.next_offset))
        if held.fetchone() is None:
            raise PositionMoved(self._log.stream.stream_name, self.next_offset)

    def _move(self, next_offset: int, now: datetime) -> None:
        values = {"to": next_offset, "now": now, "log_id": self._log.log_id, "from": self.next_offset}
        moved = self._connection.execute(_MOVE, values)
        stream = self._log.stream
        payload = {
            "stream_name": stream.stream_name,
            "stream_kind": stream.stream_kind,
            "incarnation": self._log.incarnation,
            "next_offset": next_offset,
        }
        self._connection.execute(_NOTIFY, (POSITION_CHANNEL, json.dumps(payload)))
        if moved.fetchone() is None:
            raise PositionMoved(stream.stream_name, self.next_offset)


@contextmanager
def _no_collections() -> Iterator[None]:
    """Keep the garbage collector from walking a batch, which has no cycles, again and again: a fifth of the fold."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
