"""What is in quarantine, tried again: a program that understands more than its predecessor mends the relations."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from eventlog.postgres.archive import read_archive_at
from eventlog.postgres.connection import Connection
from projections.fold.settings import FoldSettings
from projections.fold.trial import is_understood
from projections.projector import BATCH_EVENTS
from projections.rebuild import rebuild_log
from projections.stream_lock import stream_lock
from projections.tracked_logs import TrackedLog, logs_of, position_once_folded

_UNRESOLVED: Final = """
select log_offset from projection.quarantine where log_id = %s and resolved_by is null order by log_offset
"""


@dataclass(frozen=True)
class Trial:
    """How many of a log's unresolved events in quarantine there are, and how many of them this program understands.

    ``is_outdated``: the rows are not what this program would make of the log whatever is in quarantine.
    """

    log: TrackedLog
    tried: int
    understood: int
    is_outdated: bool

    @property
    def asks_for_folding(self) -> bool:
        """Whether this program would make other rows of the log than it has."""
        return self.understood > 0 or self.is_outdated


def try_again(connection: Connection, stream_names: Iterable[str], settings: FoldSettings) -> list[Trial]:
    """Try these streams' events in quarantine; logs that have none, and are folded as we fold, are left out.

    Nothing is changed.

    Raises:
        FoldVersionDiffers: a log was folded with other settings, or by a newer program.
    """
    logs = (log for name in stream_names for log in reversed(logs_of(connection, name)))
    trials = [_trial(connection, log, settings) for log in logs]
    return [trial for trial in trials if trial.tried or trial.is_outdated]


def mend(connection: Connection, trial: Trial, settings: FoldSettings, *, batch_events: int = BATCH_EVENTS) -> int:
    """Fold the log of a trial anew from the archive, and give the number of its events.

    Raises:
        StreamBusy: somebody follows or imports the stream.
        PositionMoved, FoldVersionDiffers: see `rebuild_log`.
    """
    name = trial.log.stream.stream_name
    with stream_lock(connection, name):
        (log,) = (log for log in logs_of(connection, name) if log.log_id == trial.log.log_id)
        return rebuild_log(connection, log, settings, batch_events=batch_events).events


def _trial(connection: Connection, log: TrackedLog, settings: FoldSettings) -> Trial:
    log.require_fold_at_most(settings)
    offsets = [offset for (offset,) in connection.execute(_UNRESOLVED, (log.log_id,))]
    events = read_archive_at(connection, log.log_id, offsets)
    understood = sum(is_understood(event, log.stream.stream_kind, settings) for event in events)
    is_misplaced = log.next_offset != position_once_folded(connection, log)
    return Trial(log, len(offsets), understood, is_misplaced or log.fold_version != settings.fold_version)
