"""Folds a log from the archive into temporary tables, apart from the tables that readers and followers use."""

from collections.abc import Callable
from typing import Final

from psycopg import sql

from eventlog.postgres.archive import read_archived
from eventlog.postgres.connection import Connection
from eventlog.timestamps import micros_of
from projections.current_rows import forget_merged, merge_many, prepare
from projections.fold.batch import BatchFold, LogFold
from projections.fold.settings import FoldSettings
from projections.history_rows import append_histories
from projections.projector import BATCH_EVENTS
from projections.rebuild import archived_batches, recorded_sweeps
from projections.tracked_logs import TrackedLog

SCRATCH: Final = "pg_temp"
_CREATE: Final = sql.SQL("create temporary table {} (like projection.{} including indexes) on commit drop")


def fold_into_scratch(
    connection: Connection,
    log: TrackedLog,
    settings: FoldSettings,
    *,
    until: int,
    batch_events: int = BATCH_EVENTS,
    on_progress: Callable[[int], None] = lambda _: None,
) -> int:
    """Fold a log's archived events below offset ``until`` into the schema `SCRATCH`; return the number of events.

    The temporary tables have the names and the rows of those in ``projection``, for this log alone, and last until the
    caller's transaction ends. ``on_progress`` is called with the number of events of each batch.
    """
    prepare(connection)
    for name in log_tables():
        connection.execute(_CREATE.format(sql.Identifier(name), sql.Identifier(name)))
    log_fold = LogFold(log.log_id, log.stream.stream_kind, settings.secrets)
    events = 0
    archived = read_archived(connection, log.log_id, until=until)
    for batch in archived_batches(archived, recorded_sweeps(connection, log.log_id), batch_events):
        fold = BatchFold(log_fold, micros_of(batch.archived_at))
        fold.add(batch.events)
        fold.sweep(batch.swept)
        append_histories(connection, fold, SCRATCH)
        merge_many(connection, fold, SCRATCH)
        forget_merged(connection)
        events += len(batch.events)
        on_progress(len(batch.events))
    return events


def log_tables() -> dict[str, tuple[str, ...]]:
    """Return the tables of ``projection`` whose rows the fold makes of a log's events, with their primary keys.

    The primary keys are without ``log_id``.
    """
    from projections.tables import metadata  # noqa: PLC0415 (avoids loading SQLAlchemy where no log is folded again)

    return {
        table.name: tuple(column.name for column in table.primary_key if column.name != "log_id")
        for table in metadata.sorted_tables
        if "log_id" in table.columns and table.name not in {"job_log", "position"}
    }
