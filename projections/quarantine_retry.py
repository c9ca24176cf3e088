"""Retries events in quarantine: if this program can read what an older one could not, the log is rebuilt."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from eventlog.postgres.archive import read_archive_at
from eventlog.postgres.connection import Connection
from projections.fold.batch import can_be_read
from projections.fold.settings import FoldSettings
from projections.projector import BATCH_EVENTS
from projections.rebuild import rebuild_log
from projections.stream_lock import stream_lock
from projections.tracked_logs import TrackedLog, logs_of, position_once_folded

_UNRESOLVED: Final = """
select log_offset from projection.quarantine where log_id = %s and resolved_by is null order by log_offset
"""


@dataclass(frozen=True)
class QuarantineCheck:
    """How many unresolved events a log has in quarantine, and how many of them this program can read.

    ``is_outdated``: the log needs a rebuild anyway, since older code folded it, or its rows or position are wrong.
    """

    log: TrackedLog
    unresolved: int
    readable: int
    is_outdated: bool

    @property
    def needs_rebuild(self) -> bool:
        """Whether this program would fold the log to other rows."""
        return self.readable > 0 or self.is_outdated


def check_quarantine(
    connection: Connection, stream_names: Iterable[str], settings: FoldSettings
) -> list[QuarantineCheck]:
    """Try to read these streams' events in quarantine, without changing anything.

    Logs that have none and are up to date are left out.

    Raises:
        FoldVersionDiffers: other settings or a newer program folded a log.
    """
    logs = (log for name in stream_names for log in reversed(logs_of(connection, name)))
    checks = [_check_log(connection, log, settings) for log in logs]
    return [check for check in checks if check.unresolved or check.is_outdated]


def rebuild_checked_log(
    connection: Connection,
    check: QuarantineCheck,
    settings: FoldSettings,
    *,
    batch_events: int = BATCH_EVENTS,
    on_progress: Callable[[int], None] = lambda _: None,
) -> int:
    """Lock the stream of a log, rebuild the log from the archive, and return the number of its events.

    Raises:
        StreamBusy: the stream is being followed or imported.
        FoldVersionDiffers, ArchiveIncomplete, RebuildFailed, LockNotAvailable: see `rebuild_log`.
    """
    with stream_lock(connection, check.log.stream.stream_name):
        rebuilt = rebuild_log(connection, check.log, settings, batch_events=batch_events, on_progress=on_progress)
        return rebuilt.events


def _check_log(connection: Connection, log: TrackedLog, settings: FoldSettings) -> QuarantineCheck:
    log.require_fold_at_most(settings)
    offsets = [offset for (offset,) in connection.execute(_UNRESOLVED, (log.log_id,))]
    events = read_archive_at(connection, log.log_id, offsets)
    readable = sum(can_be_read(event, log.stream.stream_kind, settings) for event in events)
    is_misplaced = log.next_offset != position_once_folded(connection, log)
    return QuarantineCheck(log, len(offsets), readable, is_misplaced or log.fold_version != settings.fold_version)
