"""Imports a recorded stream: archives and folds the events that the archive lacks.

Events that the archive has are compared and skipped, so an interrupted import continues where it stopped, and a
repeated one does nothing. If an event differs, the recording is a new incarnation of the stream, which becomes current
once it is complete. A log in Postgres is never changed: only its writers know its end.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from itertools import count, dropwhile, islice, takewhile
from typing import Final

import psycopg

from eventlog.events import RecordedEvent, batches
from eventlog.postgres.archive import first_difference
from eventlog.postgres.connection import Connection
from eventlog.postgres.log_registry import StoredLog, newest_log
from eventlog.source import KAFKA, POSTGRES, RECORDING
from eventlog.streams import StreamIdentity, identify
from projections.errors import LogRebuilt, ProjectionError
from projections.fold.settings import FoldSettings
from projections.log_result import LogResult
from projections.projector import BATCH_BYTES, BATCH_EVENTS, Clock, MakeProjector, Projector
from projections.retired_streams import end_retirement
from projections.stream_lock import stream_lock
from projections.tracked_logs import TrackedLog, logs_of, make_current, register_log, stop_at_position

ReadEvents = Callable[[], Iterable[RecordedEvent]]

_FURTHER_BATCHES: Final = 7
"""How many batches after the first one a transaction may have: current rows cost as much after one as after several."""

_BEGIN: Final = """
update projection.position
set state = case when %s then 'catching-up' else 'replacing' end, state_detail = null, end_offset = null,
    heartbeat_at = clock_timestamp() where log_id = %s
"""


def import_stream(
    connection: Connection,
    stream: StreamIdentity,
    read_events: ReadEvents,
    settings: FoldSettings,
    clock: Clock,
    *,
    batch_events: int = BATCH_EVENTS,
    is_atomic: bool = False,
    on_progress: Callable[[int], None] = lambda _: None,
    make_projector: MakeProjector = Projector,
) -> LogResult:
    """Import a stream. ``read_events`` returns its events in offset order, from the first one at each call.

    ``on_progress`` gets the number of events imported or skipped since its last call. ``is_atomic``: all batches are
    one transaction.

    Commits do not wait for the disk: the caller runs `finish_imports` once it has imported all streams. If the database
    server crashes before, it loses rows together with the position after them, and another import continues there.

    Raises:
        StreamBusy: another process imports or follows the stream.
        FoldVersionDiffers: other settings folded the stream before.
        StreamKindError: the stream is known, as one of the other kind.
        ProjectionError: the stream is a log in Postgres, and the recording has events that it lacks.
    """
    stored = newest_log(connection, stream.stream_name)
    identify(stream.stream_name, stream.stream_kind, None if stored is None else stored.stream_kind)
    if stored is not None and stored.backend == POSTGRES:
        present = _require_all(connection, stored, read_events())
        on_progress(present)
        return LogResult(stream, stored.incarnation, skipped=present)
    with _asynchronous_commits(connection), stream_lock(connection, stream.stream_name):
        log, skipped = _log_to_continue(connection, stream, read_events, settings, clock)
        on_progress(skipped)
        projector = make_projector(connection, log, settings, clock)
        added = quarantined = 0

        def counted() -> Iterator[list[RecordedEvent]]:
            nonlocal added
            events = dropwhile(partial(_is_below, log.next_offset), read_events())
            for batch in batches(events, batch_events, BATCH_BYTES):
                yield batch
                added += len(batch)
                on_progress(len(batch))

        with connection.transaction() if is_atomic else nullcontext():
            for batch in (taken := counted()):
                if added == 0:
                    connection.execute(_BEGIN, (log.is_complete, log.log_id))
                    end_retirement(connection, stream.stream_name)
                quarantined += _apply(projector, batch, islice(taken, _FURTHER_BATCHES))
            if added or not log.is_current or log.backend != KAFKA:  # the state of others is their follower's
                with connection.transaction():
                    if not log.is_current:
                        make_current(connection, log)
                    stop_at_position(connection, log)
    return LogResult(stream, log.incarnation, added, skipped, quarantined)


def _apply(projector: Projector, batch: list[RecordedEvent], further: Iterator[list[RecordedEvent]]) -> int:
    try:
        return projector.apply(batch, further=further)
    except LogRebuilt:  # a rebuild or a retention ran between two transactions
        projector.reload()
        return projector.apply(batch, further=further)


def _require_all(connection: Connection, log: StoredLog, events: Iterable[RecordedEvent]) -> int:
    """The number of events. Raises ProjectionError if the log, which only its writers extend, lacks one of them."""
    present = _count_if_all(connection, log.log_id, events)
    if present is None:
        name = log.stream_name
        raise ProjectionError(
            f"The recording has events that {name}, a log in Postgres, does not have, and an import cannot change such "
            "a log. Append a recording of the new events only, with "
            f"`coordstream log append {name} --from-file FILE`, or import this one into another database."
        )
    return present


def _log_to_continue(
    connection: Connection, stream: StreamIdentity, read_events: ReadEvents, settings: FoldSettings, clock: Clock
) -> tuple[TrackedLog, int]:
    """The incarnation that has the same events, or else a new one, and how many of the events it has already."""
    known = logs_of(connection, stream.stream_name)
    for log in known:
        if log.is_current or not log.is_complete:
            log.require_fold_version(settings)
            events = takewhile(partial(_is_below, log.next_offset), read_events())
            matching = _count_if_all(connection, log.log_id, events)
            if matching is not None:
                return log, matching
    incarnation = known[0].incarnation + 1 if known else 1
    with connection.transaction():
        return register_log(connection, stream, incarnation, RECORDING, settings, clock()), 0


def _is_below(offset: int, event: RecordedEvent) -> bool:
    return event.offset < offset


def _count_if_all(connection: Connection, log_id: int, events: Iterable[RecordedEvent]) -> int | None:
    """The number of events; None if the archive lacks one of them, or has another one at its offset."""
    number = count()
    compared = (event for event, _ in zip(events, number, strict=False))
    return next(number) if first_difference(connection, log_id, compared) is None else None


@contextmanager
def _asynchronous_commits(connection: Connection) -> Iterator[None]:
    """Commit without waiting for the disk. The lock of a stream ends with the sessions of a server that crashes."""
    connection.execute("set synchronous_commit = off")
    try:
        yield
    finally:
        with suppress(psycopg.Error):  # the connection may be what failed
            connection.execute("reset synchronous_commit")
