"""Streams that cannot be followed as they are: why, where everybody can read it, until they can be followed again."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from eventlog.errors import StreamKindError
from eventlog.postgres.connection import Connection
from eventlog.postgres.log_registry import newest_log
from eventlog.streams import identify
from projections.follow.attach import POSTGRES

_NEWEST: Final = """
select p.log_id, l.backend from projection.job_log j
join projection.position p using (log_id) join eventlog.log l using (log_id)
where j.stream_name = %s order by j.incarnation desc limit 1
"""
_REFUSE: Final = """
update projection.position
set state = 'refused', state_detail = %s, end_offset = null, heartbeat_at = clock_timestamp() where log_id = %s
"""
_REFUSE_UNKNOWN: Final = """
insert into projection.refused_stream
  (stream_name, stream_kind, job_suffix, job_name, job_id, job_bucket, state_detail, heartbeat_at)
values (%s, %s, %s, %s, %s, %s, %s, clock_timestamp())
on conflict (stream_name) do update set state_detail = excluded.state_detail, heartbeat_at = excluded.heartbeat_at
"""
_BEAT: Final = """
with known as (
  update projection.position set heartbeat_at = clock_timestamp()
  where state = 'refused' and log_id in (
    select p.log_id from projection.position p join projection.job_log j using (log_id)
    where j.stream_name = any(%(names)s) order by p.log_id for update of p skip locked)
)
update projection.refused_stream set heartbeat_at = clock_timestamp() where stream_name = any(%(names)s)
"""
_FORGET: Final = "delete from projection.refused_stream where stream_name = any(%s)"


def write_refusal(
    connection: Connection, stream_name: str, kind: str | None, backend: str, sentence: str, *, may_begin: bool = True
) -> None:
    """Let the stream's newest log be ``refused``; a stream that has no log yet gets a row if it ``may_begin``.

    ``backend`` is the source's. A log that a source in Postgres does not have is followed elsewhere, and left alone. So
    is a stream of which neither its name nor ``kind`` says what it is: to name that is the user's.
    """
    row = connection.execute(_NEWEST, (stream_name,)).fetchone()
    if row is None:
        if may_begin:
            _refuse_unknown(connection, stream_name, kind, sentence)
    elif backend != POSTGRES or row[1] == POSTGRES:
        connection.execute(_REFUSE, (sentence, row[0]))


def beat_refused(connection: Connection, stream_names: Sequence[str]) -> None:
    """Say that a follower still tries these streams; one that another follower reads by now is left to that one."""
    if stream_names:
        connection.execute(_BEAT, {"names": list(stream_names)})


def forget_refusals(connection: Connection, stream_names: Sequence[str]) -> None:
    """Let these streams have no row where they have no log either."""
    if stream_names:
        connection.execute(_FORGET, (list(stream_names),))


def _refuse_unknown(connection: Connection, stream_name: str, kind: str | None, sentence: str) -> None:
    with suppress(StreamKindError):
        stored = newest_log(connection, stream_name)
        stream = identify(stream_name, kind if stored is None else stored.stream_kind)
        connection.execute(_REFUSE_UNKNOWN, (*stream, sentence))
