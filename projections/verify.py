"""Compares the rows of a log with those that its archived events fold to. Changes and blocks nothing."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from eventlog.postgres.connection import Connection, lift_timeouts
from projections.fold.settings import FoldSettings
from projections.projector import BATCH_EVENTS
from projections.scratch_fold import ScratchFold
from projections.table_differences import Difference, TableCheck, TableDifferences, Values, expected_job_log
from projections.tracked_logs import TrackedLog, job_names, position_once_folded, reload_log

_SNAPSHOT: Final = "set transaction isolation level repeatable read"
_LOCK_ARCHIVE: Final = "lock table eventlog.event in access share mode"
_JOB_LOG: Final = "select to_jsonb(j) from projection.job_log j where j.log_id = %s"
_RULE: Final = "select to_jsonb(r) from projection.rule_of_job(%s) r"
_NAMES_OF_COORDINATOR: Final = """
select job_name, job_id from projection.job_log
where job_suffix = %s and stream_kind = 'coordinator' and is_current and log_id <> %s
"""
_FOLDED_NAMES: Final = """
select k.message_key, m.body ->> 'config_value'
from pg_temp.event_key k
cross join lateral (
  select e.body, e.log_offset from pg_temp.message_event e
  where e.key_id = k.key_id order by e.log_offset desc limit 1) m
where k.message_type = 'set-config' and k.message_key in ('job.name', 'job.id') and m.body is not null
order by m.log_offset
"""


@dataclass(frozen=True)
class Verification:
    """What comparing a log's rows with its events found; ``log`` has the position that was compared."""

    log: TrackedLog
    events: int
    tables: tuple[TableCheck, ...]

    @property
    def is_equal(self) -> bool:
        return all(table.is_equal for table in self.tables)


def verify_log(
    connection: Connection,
    log: TrackedLog,
    settings: FoldSettings,
    *,
    batch_events: int = BATCH_EVENTS,
    on_progress: Callable[[int], None] = lambda _: None,
) -> Verification:
    """Fold a log's archived events again and compare every table of ``projection`` with the result.

    Runs in one snapshot, so a follower may go on meanwhile: its later rows are not seen. The snapshot and temporary
    tables as large as the log's rows last until the comparison ends. Raises FoldVersionDiffers or RebuildNeeded if the
    log's rows are another version's, or it has none.
    """
    with connection.transaction(force_rollback=True):
        connection.execute(_SNAPSHOT)
        lift_timeouts(connection, "local")
        connection.execute(_LOCK_ARCHIVE)  # before the snapshot is taken: a retention replaces partitions at once
        log = reload_log(connection, log)
        log.require_fold_version(settings)
        position = position_once_folded(connection, log)
        fold = ScratchFold(connection, log, settings, batch_events=batch_events, on_progress=on_progress)
        fold.advance(position)
        checks = (
            _check_row("position", {"next_offset": log.next_offset}, {"next_offset": position}),
            _check_job_log(connection, log),
            *TableDifferences(connection, log).check(),
        )
    return Verification(log, fold.events, checks)


def _check_job_log(connection: Connection, log: TrackedLog) -> TableCheck:
    """Compare a log's row in ``job_log`` with the archive, and the job's name with its config, as folded now or as its
    coordinator stream has it.
    """
    stream = log.stream
    (stored,) = connection.execute(_JOB_LOG, (log.log_id,)).fetchone() or ({},)
    (rule,) = connection.execute(_RULE, (stream.suffix,)).fetchone() or ({},)
    names = connection.execute(_NAMES_OF_COORDINATOR, (stream.suffix, log.log_id)).fetchone()
    if names is None:
        names = job_names(dict(connection.execute(_FOLDED_NAMES).fetchall()), stream)
    expected = expected_job_log(connection, log.log_id) | rule | {"job_name": names[0], "job_id": names[1]}
    return _check_row("job_log", {name: stored.get(name) for name in expected}, expected)


def _check_row(table: str, stored: Values, expected: Values) -> TableCheck:
    if stored == expected:
        return TableCheck(table)
    return TableCheck(table, different=1, examples=(Difference("different", {}, stored, expected),))
