"""Which logs there are: their incarnations, their jobs, and what the fold has to know to go on with one."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from eventlog.archive import archive_end
from eventlog.connection import Connection
from eventlog.log_registry import StoredLog, hold, insert_log
from eventlog.postgres import BACKEND
from eventlog.streams import StreamIdentity, StreamKind, identify
from projections.errors import FoldVersionDiffers, NothingFolded
from projections.fold.batch import BEFORE_THE_FIRST, LogFold
from projections.fold.layouts import LayoutEntry
from projections.fold.other_version import NONE, UNHELD
from projections.fold.settings import NOT_FOLDED, FoldSettings

_LOGS: Final = """
select j.log_id, j.stream_name, j.stream_kind, j.incarnation, j.is_current, j.is_complete, p.next_offset,
       p.fold_version, l.backend, l.topic_id, p.end_offset, p.read_at, p.resync_from
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
_FORGET_REFUSAL: Final = "delete from projection.refused_stream where stream_name = %s"
_NAMES: Final = """
select c.config_key, c.config_value
from projection.job_log j cross join lateral projection.config_state(j.log_id, j.incarnation, null) c
where j.job_suffix = %s and j.stream_kind = 'coordinator' and j.is_current and c.config_key in ('job.name', 'job.id')
"""
_RENAME: Final = """
update projection.job_log set job_name = %s, job_id = %s
where job_suffix = %s and (job_name, job_id) is distinct from (%s, %s)
"""
_NEWEST_TIMES: Final = """
select distinct on (k.message_key, k.grouper_factory, k.checkpoint_version)
    k.message_key, k.grouper_factory, k.checkpoint_version, e.layout_id is null,
    (extract(epoch from e.record_time - timestamptz '2000-01-01 00:00:00+00') * 1000000)::bigint
from projection.event_key k
cross join lateral (
    select c.log_offset, c.layout_id, c.record_time from projection.checkpoint_event c
    where c.log_id = k.log_id and c.key_id = k.key_id
    order by c.log_offset desc limit 1) e
where k.log_id = %s and k.checkpoint_version > 0
order by k.message_key, k.grouper_factory, k.checkpoint_version, e.log_offset desc
"""


@dataclass(frozen=True)
class RegisteredLog:
    """One incarnation of a stream, as the database knows it.

    ``end_offset`` is the log's end when last seen, and ``read_at`` when it was last read to there or reading it began;
    ``resync_from`` is the position where a resync began that is not done. None: unknown, and there is none.
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

    def require_fold_version(self, settings: FoldSettings) -> None:
        """Raise FoldVersionDiffers if the log's rows were folded otherwise than we would, NothingFolded without any."""
        if self.fold_version == NOT_FOLDED:
            raise NothingFolded(self.stream.stream_name)
        if self.fold_version != settings.fold_version:
            raise FoldVersionDiffers(self.stream.stream_name, self.fold_version, settings.fold_version)

    def require_fold_at_most(self, settings: FoldSettings) -> None:
        """Raise FoldVersionDiffers unless our settings, and our code or older code, folded the log's rows."""
        if not settings.follows(self.fold_version):
            raise FoldVersionDiffers(self.stream.stream_name, self.fold_version, settings.fold_version)


def logs_of(connection: Connection, stream_name: str) -> list[RegisteredLog]:
    """All incarnations of a stream, the newest first."""
    return [_registered(row) for row in connection.execute(_LOGS, (stream_name,)).fetchall()]


def position_once_folded(connection: Connection, log: RegisteredLog) -> int:
    """The position of a log once all that it was read to is folded.

    At most the end of a log that Postgres keeps; the end of the archive where nothing says how far it was read.
    """
    if log.fold_version == NOT_FOLDED:
        return archive_end(connection, log.log_id)
    if log.backend != BACKEND:
        return log.next_offset
    return min(log.next_offset, archive_end(connection, log.log_id))


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
) -> RegisteredLog:
    """Make a log known, in the caller's transaction. A stream's first log is current at once, a later one when read."""
    name, kind = stream.stream_name, stream.stream_kind
    stored = insert_log(connection, name, kind, incarnation, backend, now, cluster_id=cluster_id, topic_id=topic_id)
    return track_log(connection, stored, settings, start_offset=start_offset)


def track_log(
    connection: Connection, stored: StoredLog, settings: FoldSettings, *, start_offset: int = 0
) -> RegisteredLog:
    """Let the projection follow a log that ``eventlog.log`` has, from its first event, in the caller's transaction.

    ``start_offset`` is where that event may stand at the earliest: the position begins there.
    """
    is_first, version = stored.incarnation == 1, settings.fold_version
    log = insert_position(
        connection, stored, version, is_current=is_first, is_complete=is_first, start_offset=start_offset
    )
    connection.execute(_FORGET_REFUSAL, (log.stream.stream_name,))
    name_job(connection, log.stream)
    return log


def insert_position(
    connection: Connection,
    stored: StoredLog,
    fold_version: str,
    *,
    is_current: bool,
    is_complete: bool,
    start_offset: int = 0,
) -> RegisteredLog:
    """Make a log known that ``eventlog.log`` has, under the job that its stream's name says."""
    stream, log_id, incarnation = identify(stored.stream_name, stored.stream_kind), stored.log_id, stored.incarnation
    names = (stream.suffix, stream.job_name, stream.job_id, stream.job_bucket)
    known = (log_id, stream.stream_name, stream.stream_kind, incarnation, *names, is_current, is_complete)
    connection.execute(_INSERT_JOB_LOG, known)
    state = "catching-up" if is_complete else "replacing"
    connection.execute(_INSERT_POSITION, (log_id, start_offset, state, fold_version))
    return RegisteredLog(
        log_id,
        stream,
        incarnation,
        is_current=is_current,
        is_complete=is_complete,
        next_offset=start_offset,
        fold_version=fold_version,
        backend=stored.backend,
        topic_id=stored.topic_id,
    )


def make_current(connection: Connection, log: RegisteredLog) -> None:
    """Let a log that was read to its end take the place of the incarnation before it, in the caller's transaction."""
    _lock_job(connection, log.stream)  # before a row is locked, which who names the job may wait for
    connection.execute(
        "update projection.job_log set is_current = (log_id = %s), is_complete = is_complete or log_id = %s"
        " where stream_name = %s",
        (log.log_id, log.log_id, log.stream.stream_name),
    )
    name_job(connection, log.stream)


def name_job(connection: Connection, stream: StreamIdentity) -> None:
    """Give a job's logs the name and id that its config says, or what the stream's name says while there is none.

    Until the caller's transaction ends no other one names the job: the job's logs may be at work at once, and neither
    sees what the other has not committed.
    """
    _lock_job(connection, stream)
    config: dict[str, str] = dict(connection.execute(_NAMES, (stream.suffix,)).fetchall())
    name, job_id = config.get("job.name") or stream.job_name, config.get("job.id") or stream.job_id
    connection.execute(_RENAME, (name, job_id, stream.suffix, name, job_id))


def _lock_job(connection: Connection, stream: StreamIdentity) -> None:
    hold(connection, f"job {stream.suffix}")


def load_fold(connection: Connection, log: RegisteredLog, settings: FoldSettings) -> LogFold:
    """The fold's memory of a log as of its last committed batch."""
    log_time, last_offset = _log_time(connection, log.log_id), _last_offset(connection, log.log_id)
    fold = LogFold(log.log_id, log.stream.stream_kind, settings.secrets, log_time, last_offset)
    for key_sha256, key_id in connection.execute(
        "select key_sha256, key_id from projection.event_key where log_id = %s", (log.log_id,), binary=True
    ):
        fold.keys.remember(bytes(key_sha256), key_id)
    for (key_id,) in connection.execute(
        "select distinct key_id from projection.quarantine"
        " where log_id = %s and resolved_by is null and key_id is not null",
        (log.log_id,),
    ):
        fold.keys.remember_quarantined(key_id)
    _load_layouts(connection, log.log_id, fold)
    _load_newest_times(connection, log, fold)
    return fold


def _load_layouts(connection: Connection, log_id: int, fold: LogFold) -> None:
    layouts: dict[int, list[LayoutEntry]] = {}
    for layout_id, *entry in connection.execute(
        "select layout_id, partition_id, key_bucket, is_state, system_name, stream_name, factory_name, store_name,"
        " marker_prefix, marker_suffix from projection.checkpoint_layout where log_id = %s order by layout_id, n",
        (log_id,),
    ):
        layouts.setdefault(layout_id, []).append(LayoutEntry(*entry))
    for layout_id, entries in layouts.items():
        fold.layouts.remember(layout_id, tuple(entries))


def _load_newest_times(connection: Connection, log: RegisteredLog, fold: LogFold) -> None:
    if log.stream.stream_kind == "checkpoint":
        for task_name, grouper_factory, version, is_delete, micros in connection.execute(_NEWEST_TIMES, (log.log_id,)):
            times = fold.keys.task(task_name, grouper_factory).newest_times
            times[version] = NONE if is_delete else UNHELD if micros is None else micros


def _log_time(connection: Connection, log_id: int) -> int | None:
    row = connection.execute(
        "select (extract(epoch from t.at - timestamptz '2000-01-01 00:00:00+00') * 1000000)::bigint"
        " from projection.log_time_at(%s, 9223372036854775807) t",
        (log_id,),
    ).fetchone()
    return None if row is None else int(row[0])


def _last_offset(connection: Connection, log_id: int) -> int:
    """The offset of the last event that is folded."""
    row = connection.execute(
        "select max(e.log_offset) from eventlog.event e, projection.position p"
        " where e.log_id = %s and p.log_id = %s and e.log_offset < p.next_offset",
        (log_id, log_id),
    ).fetchone()
    return BEFORE_THE_FIRST if row is None or row[0] is None else int(row[0])


def _registered(row: tuple[Any, ...]) -> RegisteredLog:
    log_id, stream_name, stream_kind, *rest = row
    kind: StreamKind = stream_kind
    return RegisteredLog(log_id, identify(stream_name, kind), *rest)
