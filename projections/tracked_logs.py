"""The logs that the projection tracks: the incarnations of each stream, their positions, and their jobs' names.

Observations are facts about a log that are not events, stored permanently in ``eventlog.observation``.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Final, Literal, NamedTuple

from eventlog.postgres.archive import archive_end
from eventlog.postgres.connection import Connection
from eventlog.postgres.log_registry import StoredLog, hold, insert_log
from eventlog.source import KAFKA, POSTGRES, RECORDING
from eventlog.streams import StreamIdentity, identify
from projections.errors import NOT_FOLDED, FoldVersionDiffers, RebuildNeeded
from projections.fold.settings import FoldSettings

_LOGS: Final = """
select j.log_id, j.stream_name, j.stream_kind, j.incarnation, j.is_current, j.is_complete, p.next_offset,
       p.fold_version, l.backend, l.topic_id, p.end_offset, p.read_at, p.resync_from, p.state, p.rebuilds
from projection.job_log j join projection.position p using (log_id) join eventlog.log l using (log_id)
where j.stream_name = %s
order by j.incarnation desc
"""
_INSERT_JOB_LOG: Final = """
insert into projection.job_log (log_id, stream_name, stream_kind, incarnation, job_suffix, job_name, job_id, job_bucket,
                                is_current, is_complete)
values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
"""
_INSERT_POSITION: Final = """
insert into projection.position (log_id, next_offset, end_offset, heartbeat_at, state, fold_version)
values (%s, %s, null, clock_timestamp(), %s, %s)
"""
LOCK_TIMEOUT: Final = "set local lock_timeout = '10s'"
"""For a transaction that waits for other writers of a log, and gives up if one of them takes long."""

# Projectors lock the row for update, which waits for this lock; heartbeats for no key update, which does not.
_BLOCK: Final = "select from projection.position where log_id = any(%s) order by log_id for key share"
_PROBE: Final = "select from projection.position where log_id = %s for update skip locked"

LONGEST_TOPIC_NAME: Final = 249
"""How many characters the name of a topic in Kafka has at most."""

_STOP_AT_POSITION: Final = """
update projection.position
set state = 'stopped', state_detail = null, end_offset = case when %s then next_offset end,
    heartbeat_at = clock_timestamp() where log_id = %s
"""
_FORGET_REFUSAL: Final = "delete from projection.refused_stream where stream_name = %s"
_NAMES: Final = """
select c.config_key, c.config_value
from projection.job_log j
join projection.event_key k on k.log_id = j.log_id and k.message_type = 'set-config' and not k.is_other
  and left(k.message_key, 100) in ('job.name', 'job.id')
join projection.config c on c.log_id = k.log_id and c.key_id = k.key_id
where j.job_suffix = %s and j.stream_kind = 'coordinator' and j.is_current
"""
_RENAME: Final = """
update projection.job_log set job_name = %s, job_id = %s
where job_suffix = %s and (job_name, job_id) is distinct from (%s, %s)
"""
TRACKED_BACKENDS: Final = (KAFKA, RECORDING)
"""The backends of logs whose first event is archived and folded in one transaction.

Commands that select logs mark only these for a rebuild: a log in Postgres may not have been followed yet.
"""
_BACKENDS: Final = (POSTGRES, *TRACKED_BACKENDS)
_UNTRACKED: Final = """
select l.log_id, l.backend, l.stream_name, l.stream_kind, l.incarnation, l.cluster_id, l.topic_id
from eventlog.log l
where l.backend = any(%s)
  and not exists (select from projection.job_log j join projection.position p using (log_id) where j.log_id = l.log_id)
order by l.stream_name, l.incarnation
"""
KEEP_CHECKPOINTS: Final = "select projection.keep_checkpoints_of_job(%s)"
"""Chooses the checkpoints of a job again, after its current logs or its config have changed."""

_HAS_CURRENT: Final = "select exists (select from projection.job_log where stream_name = %s and is_current)"
_FORGET: Final = """
with forgotten as (delete from projection.job_log where log_id = any(%(logs)s))
delete from projection.position where log_id = any(%(logs)s)
"""
_STOP: Final = "update projection.position set state = 'stopped', end_offset = %s where log_id = %s"


_INSERT_OBSERVATION: Final = """
insert into eventlog.observation (log_id, at_offset, kind, key, from_offset, to_offset, observed_at)
values (%s, %s, %s, %s, %s, %s, %s)
"""
_OBSERVATIONS: Final = """
select at_offset, kind, key, from_offset, to_offset from eventlog.observation
where log_id = %s order by at_offset, observation_id
"""
ObservationKind = Literal["gap", "swept", "truncated", "recreated"]


@dataclass(frozen=True)
class TrackedLog:
    """One incarnation of a stream, as recorded in the database.

    ``end_offset``: where the log ended when a follower last looked; None: unknown. ``read_at``: when the log was last
    read to its end, or when reading it began; None: unknown. ``resync_from``: the position at which an unfinished
    resync began; None: there is none. ``rebuilds``: how often the log was rebuilt.
    """

    log_id: int
    stream: StreamIdentity
    incarnation: int
    is_current: bool
    is_complete: bool
    next_offset: int
    fold_version: str
    backend: str
    topic_id: str | None = None
    end_offset: int | None = None
    read_at: datetime | None = None
    resync_from: int | None = None
    state: str = field(default="catching-up", compare=False)
    rebuilds: int = 0

    def require_fold_version(self, settings: FoldSettings) -> None:
        """Raise FoldVersionDiffers if other code or settings folded the log's rows, RebuildNeeded if it has no rows."""
        if self.fold_version == NOT_FOLDED:
            raise RebuildNeeded(self.stream.stream_name)
        if self.fold_version != settings.fold_version:
            raise FoldVersionDiffers(self.stream.stream_name, self.fold_version, settings.fold_version)

    def require_fold_at_most(self, settings: FoldSettings) -> None:
        """Raise FoldVersionDiffers unless this code or older code folded the log's rows, with these settings."""
        if not settings.follows(self.fold_version):
            raise FoldVersionDiffers(self.stream.stream_name, self.fold_version, settings.fold_version)


def logs_of(connection: Connection, stream_name: str) -> list[TrackedLog]:
    rows = connection.execute(_LOGS, (stream_name,)).fetchall()
    return [TrackedLog(log_id, identify(name, kind), *rest) for log_id, name, kind, *rest in rows]


def reload_log(connection: Connection, log: TrackedLog) -> TrackedLog:
    return _log_of(connection, log.stream.stream_name, log.log_id)


def _log_of(connection: Connection, stream_name: str, log_id: int) -> TrackedLog:
    (found,) = (known for known in logs_of(connection, stream_name) if known.log_id == log_id)
    return found


def block_projectors(connection: Connection, logs: Iterable[TrackedLog]) -> None:
    """Let projectors of these logs wait until the caller's transaction ends. Heartbeats of the logs do not wait."""
    connection.execute(_BLOCK, ([log.log_id for log in logs],))


def is_blocked(connection: Connection, log_id: int) -> bool:
    """Return whether a session blocks the projectors of a log now, or one of them writes."""
    return connection.execute(_PROBE, (log_id,)).fetchone() is None


def position_once_folded(connection: Connection, log: TrackedLog) -> int:
    """Return the position that a log should have: the present one, unless the archive or the log's end contradicts it.

    - A log whose rows are missing, or are to be rebuilt: at least the archive's end.
    - A Postgres log: at most the log's end.
    - Other logs, whose events are archived as they are folded: at least the archive's end and, once the follower has
      stopped, at most the log's last known end.
    """
    end = archive_end(connection, log.log_id)
    if log.fold_version == NOT_FOLDED:
        return max(end, log.next_offset)
    if log.backend == POSTGRES:
        return min(log.next_offset, end)
    last = max(end, log.end_offset) if log.state == "stopped" and log.end_offset is not None else log.next_offset
    return max(end, min(log.next_offset, last))


def register_log(
    connection: Connection,
    stream: StreamIdentity,
    incarnation: int,
    backend: str,
    settings: FoldSettings,
    now: datetime,
    *,
    cluster_id: str | None = None,
    topic_id: str | None = None,
    start_offset: int = 0,
) -> TrackedLog:
    """Add a log to the archive and the projection. Later incarnations of a stream become current once they are read."""
    name, kind = stream.stream_name, stream.stream_kind
    stored = insert_log(connection, name, kind, incarnation, backend, now, cluster_id=cluster_id, topic_id=topic_id)
    return track_log(connection, stored, settings, start_offset=start_offset)


def track_log(
    connection: Connection, stored: StoredLog, settings: FoldSettings, *, start_offset: int = 0
) -> TrackedLog:
    """Track a log of the archive from its first event, whose lowest possible offset is ``start_offset``."""
    is_first, version = stored.incarnation == 1, settings.fold_version
    log = insert_position(
        connection, stored, version, is_current=is_first, is_complete=is_first, start_offset=start_offset
    )
    lock_job(connection, log.stream)
    name_job(connection, log.stream)
    connection.execute(KEEP_CHECKPOINTS, (log.stream.suffix,))
    return log


def insert_position(
    connection: Connection,
    stored: StoredLog,
    fold_version: str,
    *,
    is_current: bool,
    is_complete: bool,
    start_offset: int = 0,
) -> TrackedLog:
    """Insert the rows of a log of the archive, with the job name that the stream's name implies."""
    stream, log_id, incarnation = identify(stored.stream_name, stored.stream_kind), stored.log_id, stored.incarnation
    names = (stream.suffix, stream.job_name, stream.job_id, stream.job_bucket)
    known = (log_id, stream.stream_name, stream.stream_kind, incarnation, *names, is_current, is_complete)
    connection.execute(_INSERT_JOB_LOG, known)
    connection.execute(_FORGET_REFUSAL, (stream.stream_name,))
    state = "catching-up" if is_complete else "replacing"
    connection.execute(_INSERT_POSITION, (log_id, start_offset, state, fold_version))
    return _log_of(connection, stream.stream_name, log_id)


def make_current(connection: Connection, log: TrackedLog) -> None:
    """Make a log that was read to its end the stream's current incarnation, in the caller's transaction."""
    lock_job(connection, log.stream)
    connection.execute(
        "update projection.job_log set is_current = (log_id = %s), is_complete = is_complete or log_id = %s"
        " where stream_name = %s",
        (log.log_id, log.log_id, log.stream.stream_name),
    )
    name_job(connection, log.stream)
    connection.execute(KEEP_CHECKPOINTS, (log.stream.suffix,))


def stop_at_position(connection: Connection, log: TrackedLog) -> None:
    """Mark a log as stopped whose copy was read to its end. A topic may be longer, so its end is unknown."""
    connection.execute(_STOP_AT_POSITION, (log.backend != KAFKA, log.log_id))


def name_job(connection: Connection, stream: StreamIdentity) -> None:
    """Set the job name and id of a job's logs: from the job's config, or from the stream's name where config has none.
    Holds the job's lock: of two logs applied concurrently, neither transaction sees the other's rows.
    """
    hold(connection, f"job {stream.suffix}")
    name, job_id = job_names(dict(connection.execute(_NAMES, (stream.suffix,)).fetchall()), stream)
    connection.execute(_RENAME, (name, job_id, stream.suffix, name, job_id))


def job_names(config: Mapping[str, str], stream: StreamIdentity) -> tuple[str, str]:
    """The name and id of a job: those of its config, or those that a stream's name implies. A text that is too long for
    the name of a topic names no job, and has no room in an index.
    """
    named = {key: text for key, text in config.items() if len(text) <= LONGEST_TOPIC_NAME}
    name = f"{stream.mirror_prefix}{named['job.name']}" if named.get("job.name") else stream.job_name
    return name, named.get("job.id") or stream.job_id


def lock_job(connection: Connection, stream: StreamIdentity) -> None:
    """Lock the positions of a job's current logs and the logs' names until the transaction ends, before any row of
    ``job_log``: a session that names the job may wait for those rows.
    """
    connection.execute("select projection.hold_job(%s)", (stream.suffix,))


class Observation(NamedTuple):
    """A fact about a log, which takes effect after the log's event at ``at_offset``.

    ``swept``: ``key`` (its exact bytes) was deleted, but compaction removed its tombstone before it was read. ``gap``,
    ``truncated`` and ``recreated``: the events ``from_offset`` to ``to_offset`` are lost (None: an unknown end).
    """

    at_offset: int
    kind: ObservationKind
    key: bytes | None = None
    from_offset: int | None = None
    to_offset: int | None = None


def write_observations(connection: Connection, log_id: int, observations: Sequence[Observation], now: datetime) -> None:
    with connection.cursor() as cursor:
        cursor.executemany(_INSERT_OBSERVATION, [(log_id, *observation, now) for observation in observations])


def read_observations(connection: Connection, log_id: int) -> Iterator[Observation]:
    """Yield all observations of a log, in the order in which they are folded."""
    return (Observation(*row) for row in connection.execute(_OBSERVATIONS, (log_id,), binary=True))


def mark_for_rebuild(connection: Connection, backends: Collection[str] = _BACKENDS) -> list[str]:
    """Track the archive's logs whose rows were lost, mark them as to be rebuilt, and return their streams' names.

    Readers see the newest incarnation of each stream, as if it had been read to its end.
    """
    with connection.transaction():
        untracked = untracked_logs(connection, backends)
        connection.execute(_FORGET, {"logs": [log.log_id for log in untracked]})
        for stream_name, incarnations in groupby(untracked, key=lambda log: log.stream_name):
            has_current = connection.execute(_HAS_CURRENT, (stream_name,)).fetchone() == (True,)
            *older, newest = incarnations
            for log in (*older, newest):
                is_current = log is newest and not has_current
                insert_position(connection, log, NOT_FOLDED, is_current=is_current, is_complete=True)
                connection.execute(_STOP, (archive_end(connection, log.log_id), log.log_id))
    return sorted({log.stream_name for log in untracked})


def untracked_logs(connection: Connection, backends: Collection[str]) -> list[StoredLog]:
    """The archive's logs that the projection does not know, by stream and incarnation. Those of other backends than
    Postgres have lost their rows: such logs are tracked from their first event on.
    """
    return [StoredLog(*row) for row in connection.execute(_UNTRACKED, (list(backends),)).fetchall()]
