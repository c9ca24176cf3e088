"""Folding a log anew: from the archive and the observations, without the topic that they came from."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from psycopg.pq import TransactionStatus

from eventlog.archive import read_archived
from eventlog.connection import Connection
from eventlog.events import RecordedEvent
from eventlog.timestamps import MICROS_OF_AN_HOUR, held_micros, micros_of
from projections.current_rows import forget_merged
from projections.fold.rows import Swept
from projections.fold.settings import FoldSettings
from projections.follow.observations import observed
from projections.projector import BATCH_EVENTS, Projector
from projections.registry import RegisteredLog


class Stretch(NamedTuple):
    """Events that are folded together, and what was swept after the last of them.

    They were archived at ``archived_at``, or at times that make no difference to the log's time.
    """

    archived_at: datetime
    events: list[RecordedEvent]
    swept: list[Swept]


def refold(
    connection: Connection,
    log: RegisteredLog,
    settings: FoldSettings,
    *,
    until: int = 2**63 - 1,
    batch_events: int = BATCH_EVENTS,
) -> int:
    """Fold a log of which the projection has nothing but its position, and give the number of its events.

    The relations are then those of a projector that followed the log while it grew to offset ``until``. Each batch is
    a transaction, or all of them part of the caller's.

    Raises:
        PositionMoved: another projector is at work on the log.
    """
    events = 0
    archived_at = datetime.fromtimestamp(0, UTC)  # before the first stretch nobody asks
    projector = Projector(connection, log, settings, lambda: archived_at, archives=False)
    sweeps = [
        Swept(at, key) for at, kind, key, *_ in observed(connection, log.log_id) if kind == "swept" and key is not None
    ]
    for stretch in stretches(read_archived(connection, log.log_id, until=until), sweeps, batch_events):
        archived_at = stretch.archived_at
        projector.apply(stretch.events, swept=stretch.swept)
        if connection.info.transaction_status is TransactionStatus.INTRANS:
            forget_merged(connection)
        if stretch.swept and projector.next_offset <= stretch.swept[-1].at_offset:
            projector.pass_to(stretch.swept[-1].at_offset + 1)
        events += len(stretch.events)
    return events


def stretches(
    archived: Iterable[tuple[RecordedEvent, datetime]], sweeps: Sequence[Swept], most: int
) -> Iterator[Stretch]:
    """A log's events, each with the time of its archiving, in lists of so many at most, and its sweeps between them.

    Sweeps are in the order of their offsets, none before the first event.
    """
    stretch: Stretch | None = None
    left = list(reversed(sweeps))
    for event, archived_at in archived:
        if stretch is not None:
            stretch.swept.extend(_taken_before(event.offset, left))
            if stretch.swept or len(stretch.events) >= most or not _alike(event, archived_at, stretch.archived_at):
                yield stretch
                stretch = None
        stretch = stretch or Stretch(archived_at, [], [])
        stretch.events.append(event)
    if stretch is not None:
        stretch.swept.extend(reversed(left))
        yield stretch


def _taken_before(offset: int, left: list[Swept]) -> Iterator[Swept]:
    while left and left[-1].at_offset < offset:
        yield left.pop()


def _alike(event: RecordedEvent, archived_at: datetime, other: datetime) -> bool:
    """Whether an event's time is believed or not whichever the time of its archiving: see `LogClock`."""
    time = held_micros(event.timestamp)
    return archived_at == other or time is None or _believed(time, archived_at) == _believed(time, other)


def _believed(time: int, archived_at: datetime) -> bool:
    return time <= micros_of(archived_at) + MICROS_OF_AN_HOUR
