"""Writes each stream's state to the database: heartbeats of the streams that are followed, and refusals.

Heartbeats recur, a few streams at a time.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import islice
from typing import Final, Literal, NamedTuple, cast

from eventlog.errors import StreamKindError
from eventlog.postgres.connection import Connection
from eventlog.postgres.log_registry import newest_log
from eventlog.source import POSTGRES
from eventlog.streams import identify
from projections.tracked_logs import logs_of

State = Literal["catching-up", "live", "replacing", "waiting", "refused", "stopped"]

HEARTBEAT_SECONDS: Final = 5.0
NEVER: Final = float("inf")
AT_ONCE: Final = float("-inf")

# Skips rows that a projector has locked: its progress is a sign of life too, and neither waits for the other.
# A rebuild or a retention blocks projectors, but not this. A recording has no follower, and keeps its end.
_BEAT: Final = """
with beat as (
  select * from unnest(%s::integer[], %s::text[], %s::bigint[], %s::text[])
    as b (log_id, state, end_offset, state_detail)
), locked as (
  select p.log_id from projection.position p join beat using (log_id) join eventlog.log l using (log_id)
  where l.backend <> 'recording' order by p.log_id
  for no key update of p skip locked
)
update projection.position p
set heartbeat_at = %s, state = coalesce(b.state, p.state), end_offset = b.end_offset,
    state_detail = case when b.state is null then p.state_detail else b.state_detail end,
    read_at = case when p.next_offset >= b.end_offset then %s else p.read_at end
from beat b join locked using (log_id)
where p.log_id = b.log_id
"""
_REFUSE: Final = """
update projection.position
set state = 'refused', state_detail = %s, end_offset = null, heartbeat_at = clock_timestamp() where log_id = %s
"""
_REFUSE_UNTRACKED: Final = """
insert into projection.refused_stream
  (stream_name, stream_kind, job_suffix, job_name, job_id, job_bucket, state_detail, heartbeat_at)
values (%s, %s, %s, %s, %s, %s, %s, clock_timestamp())
on conflict (stream_name) do update set state_detail = excluded.state_detail, heartbeat_at = excluded.heartbeat_at
"""
_BEAT_REFUSED: Final = """
with tracked as (
  update projection.position set heartbeat_at = clock_timestamp()
  where state = 'refused' and log_id in (
    select p.log_id from projection.position p join projection.job_log j using (log_id)
    where j.stream_name = any(%(names)s) order by p.log_id for no key update of p skip locked)
)
update projection.refused_stream set heartbeat_at = clock_timestamp() where stream_name = any(%(names)s)
"""
_DELETE_REFUSALS: Final = "delete from projection.refused_stream where stream_name = any(%s)"


class Beat(NamedTuple):
    """A log's heartbeat. ``state`` None: the follower holds the log and has not attached it yet, so the state stays.
    ``end_offset`` None: the end is unknown. ``detail``: why the log is not read at present, if so.
    """

    log_id: int
    state: State | None
    end_offset: int | None
    detail: str | None = None


def server_now(connection: Connection) -> datetime:
    """The database server's time, also within a transaction that began earlier. Followers run on machines whose clocks
    differ, so heartbeats, and when a log was last read to its end, are written and compared by this one.
    """
    ((now,),) = connection.execute("select clock_timestamp()").fetchall()
    return cast("datetime", now)


def write_beats(connection: Connection, beats: Sequence[Beat], now: datetime) -> None:
    """Write heartbeats in one statement; ``now`` is the server's time before the source was asked for the ends."""
    if beats:
        connection.execute(_BEAT, (*map(list, zip(*beats, strict=True)), now, now))


def write_refusal(
    connection: Connection, stream_name: str, kind: str | None, backend: str, message: str, *, adds_row: bool = True
) -> None:
    """Set the stream's newest log to ``refused``; with ``adds_row``, a stream without a log gets a row of its own.

    ``backend`` is the source's. A log that a Postgres source lacks is followed from elsewhere and is left alone. A
    stream gets no row if neither its name nor ``kind`` tells its kind. An empty ``message``: it was not read yet.
    """
    log = next(iter(logs_of(connection, stream_name)), None)
    if log is None:
        if adds_row:
            with suppress(StreamKindError):
                stored = newest_log(connection, stream_name)
                stream = identify(stream_name, kind if stored is None else stored.stream_kind)
                connection.execute(_REFUSE_UNTRACKED, (*stream, message))
    elif backend != POSTGRES or log.backend == POSTGRES:
        connection.execute(_REFUSE, (message, log.log_id))


def beat_refused(connection: Connection, stream_names: Sequence[str]) -> None:
    """Write heartbeats of streams that are refused or unread, except those that another follower reads by now."""
    if stream_names:
        connection.execute(_BEAT_REFUSED, {"names": list(stream_names)})


def delete_refusals(connection: Connection, stream_names: Sequence[str]) -> None:
    if stream_names:
        connection.execute(_DELETE_REFUSALS, (list(stream_names),))


class Turns:
    """A recurring action on many streams, a few at a time, so that events wait for one turn and not for all of them.

    Streams that had no turn before the action is due again come first. Those that have waited for as long as the
    interval have a turn together, however many: while batches take long, turns would take too long, too.
    """

    def __init__(self, seconds: float, most: int) -> None:
        """``seconds``: the interval. ``most``: how many streams have a turn together."""
        self._seconds = seconds
        self._most = most
        self._all_due_at = AT_ONCE
        self._waiting: dict[str, float] = {}  # since when; the one that has waited longest is the first

    @property
    def due_at(self) -> float:
        """When the next turn is due, by a monotonic clock."""
        return AT_ONCE if self._waiting else self._all_due_at

    def next(self, stream_names: Iterable[str], now: float) -> list[str]:
        """Return the streams whose turn it is; ``stream_names`` are all there are."""
        if now >= self._all_due_at:
            self._all_due_at = now + self._seconds
            self._waiting = self._waiting | {name: now for name in stream_names if name not in self._waiting}
        overdue = sum(since <= now - self._seconds for since in self._waiting.values())
        turn = list(islice(self._waiting, max(self._most, overdue)))
        for name in turn:
            del self._waiting[name]
        return turn

    def trigger(self) -> None:
        """Give all streams a turn at once."""
        self._all_due_at = AT_ONCE
