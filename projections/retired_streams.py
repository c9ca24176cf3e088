"""Retired streams: their logs are kept, and monitors do not expect that anything follows them."""

from collections.abc import Collection
from typing import Final

from eventlog.postgres.connection import Connection
from projections.errors import StreamBusy
from projections.stream_lock import holders

_KNOWN: Final = """
select stream_name from projection.job_log union select stream_name from projection.refused_stream
union select stream_name from projection.unread_log
"""
_RETIRED_JOBS: Final = """
select j.job_name, j.job_id from projection.job_log j left join projection.retired_stream t using (stream_name)
group by j.job_name, j.job_id having bool_and(t.stream_name is not null)
"""
_READ_NOW: Final = """
select distinct stream_name from coordinator.log_position
where stream_name = any(%s) and state in ('catching-up', 'live', 'replacing', 'waiting')
"""
_INSERT: Final = """
insert into eventlog.retired_stream (stream_name, retired_at) select unnest(%s::text[]), clock_timestamp()
on conflict do nothing
"""


def known_streams(connection: Connection) -> set[str]:
    """Every stream that was ever imported, followed or refused, or that is a log in Postgres."""
    return {name for (name,) in connection.execute(_KNOWN).fetchall()}


def retired_jobs(connection: Connection) -> set[tuple[str, str]]:
    """The name and id of each job whose streams are all retired. Nothing is expected of it."""
    return {(name, job_id) for name, job_id in connection.execute(_RETIRED_JOBS).fetchall()}


def retire_streams(connection: Connection, stream_names: Collection[str]) -> None:
    """Retire streams, for example those of a job that was deleted. All or none: raises StreamBusy if one is read now.

    Whatever reads one of them later ends its retirement.
    """
    held = holders(connection)
    with connection.transaction():
        for (name,) in connection.execute(_READ_NOW, (list(stream_names),)).fetchall():
            if name in held:
                raise StreamBusy(name, str(held[name]))
        connection.execute(_INSERT, (list(stream_names),))


def end_retirement(connection: Connection, stream_name: str) -> None:
    """Expect that a stream is followed again."""
    connection.execute("delete from eventlog.retired_stream where stream_name = %s", (stream_name,))
