"""The projector: archives and folds batches of one log's events, each in one transaction with the log's position."""

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from eventlog.archive import archive_writer
from eventlog.connection import Connection
from eventlog.events import RecordedEvent
from eventlog.partitions import ensure_partition, ranges_of
from eventlog.timestamps import micros_of
from projections import store
from projections.errors import PositionMoved
from projections.fold.batch import BatchFold, LogFold
from projections.fold.settings import FoldSettings
from projections.registry import RegisteredLog, load_fold, name_job

Clock = Callable[[], datetime]
OnStep = Callable[[str], None]

BATCH_EVENTS: Final = 40_000
_ALTERNATING_EVENTS: Final = 500
"""Archiving and folding take turns, so that the server archives while we fold."""

_HOLD: Final = "select from projection.position where log_id = %s and next_offset = %s for update"
_MOVE: Final = """
update projection.position set next_offset = %s, heartbeat_at = %s, end_offset = greatest(end_offset, %s)
where log_id = %s and next_offset = %s
"""


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
        on_step: OnStep = lambda _: None,
    ) -> None:
        log.require_fold_version(settings)
        self._connection = connection
        self._log = log
        self._settings = settings
        self._clock = clock
        self._archives = archives
        self._on_step = on_step
        self._fold: LogFold | None = None
        self.next_offset = log.next_offset
        store.prepare(connection)

    def apply(self, events: Sequence[RecordedEvent]) -> Applied:
        """Take the log's next events, in offset order, none below ``next_offset``.

        Everything of the batch is committed, or nothing.

        Raises:
            PositionMoved: another projector has taken events of this log meanwhile.
            ValueError: the events do not begin at or after the position.
        """
        if not events:
            return Applied(0, 0, self.next_offset)
        if events[0].offset < self.next_offset:
            raise ValueError(f"events begin at {events[0].offset}, before the position {self.next_offset}")
        log_fold = self._fold or load_fold(self._connection, self._log, self._settings)
        self._fold = None  # ids given in a transaction that fails must not be remembered
        now = self._clock()
        with _no_collections(), self._connection.transaction():
            self._hold()
            fold = self._write(events, log_fold, now)
            self._move(events[-1].offset + 1, now)
        self._fold = log_fold
        self.next_offset = events[-1].offset + 1
        self._on_step("committed")
        return Applied(len(events), len(fold.quarantined), self.next_offset)

    def _write(self, events: Sequence[RecordedEvent], log_fold: LogFold, now: datetime) -> BatchFold:
        for first in ranges_of(event.offset for event in events):
            ensure_partition(self._connection, "projection", "checkpoint_event", first)
            if self._archives:
                ensure_partition(self._connection, "eventlog", "event", first)
        archived_at = micros_of(now)
        fold = BatchFold(log_fold, archived_at)
        if self._archives:
            with archive_writer(self._connection, self._log.log_id, archived_at) as write:
                for first in range(0, len(events), _ALTERNATING_EVENTS):
                    some = events[first : first + _ALTERNATING_EVENTS]
                    write(some)
                    fold.add(some)
        else:
            fold.add(events)
        self._on_step("archived")
        store.write_histories(self._connection, log_fold, fold)
        self._on_step("folded")
        store.merge_current(self._connection, fold)
        if fold.names_job and self._log.is_current:
            name_job(self._connection, self._log.stream)
        self._on_step("merged")
        return fold

    def _hold(self) -> None:
        """Wait for another projector of this log and stop if it moved the position, before its rows are met."""
        held = self._connection.execute(_HOLD, (self._log.log_id, self.next_offset))
        if held.rowcount != 1:
            raise PositionMoved(self._log.stream.stream_name, self.next_offset)

    def _move(self, next_offset: int, now: datetime) -> None:
        moved = self._connection.execute(_MOVE, (next_offset, now, next_offset, self._log.log_id, self.next_offset))
        if moved.rowcount != 1:
            raise PositionMoved(self._log.stream.stream_name, self.next_offset)


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
