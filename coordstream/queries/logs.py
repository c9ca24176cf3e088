"""The logs of a database, with the state of their followers and their ends."""

from collections.abc import Collection, Mapping
from typing import Final

from psycopg import sql

from coordstream.database import Database
from coordstream.queries.rows import Row, Rows, fetch
from eventlog.kafka.options import KafkaOptions
from eventlog.postgres.connection import Connection
from eventlog.source import KAFKA, POSTGRES
from eventlog.streams import identify
from projections.stream_lock import holders

STATUS: Final = sql.SQL(
    """
    select p.*, l.backend, l.cluster_id, l.topic_id,
           extract(epoch from greatest(now() - greatest(p.heartbeat_at, projection.writable_since()),
                                       p.heartbeat_at - statement_timestamp(), '0'))::float8
             as heartbeat_age_seconds,  -- as projection.log_status counts it
           e.record_time as last_event_time, q.quarantine_open, coalesce(g.gap_count, 0) as gap_count
    from projection.log_status p
    left join projection.job_log j using (stream_name, incarnation)
    left join projection.archived_log l using (log_id)
    left join lateral (
      select a.record_time from projection.archived_event a where a.log_id = j.log_id order by a.log_offset desc limit 1
    ) e on true
    cross join lateral (
      select count(*) as quarantine_open from projection.quarantine w
      where w.log_id = j.log_id and w.resolved_by is null
    ) q
    left join (
      select stream_name, incarnation, count(*) as gap_count from coordinator.log_gap group by stream_name, incarnation
    ) g on (g.stream_name, g.incarnation) = (p.stream_name, p.incarnation)
    order by p.job_name, p.job_id, p.stream_kind desc, p.incarnation
    """
)

UNREAD: Final = sql.SQL(
    """
    select u.*, projection.retired_detail(t.retired_at) as retired_detail
    from projection.unread_log u left join projection.retired_stream t using (stream_name)
    order by stream_name
    """
)


def silent_holders(connection: Connection) -> dict[str, str]:
    """A message for each stream, or coordinator, whose lock is held by a session that is silent, by its name."""
    return {
        name: f"{name} is held by {holder}, which is {holder.silence(name)}."
        for name, holder in holders(connection).items()
        if holder.is_silent
    }


def logs_now(database: Database) -> tuple[Rows, str]:
    """Every log with its current state and end; and a message if the brokers did not answer."""
    recorded = recorded_logs(database.connection)
    rows, unreachable = _with_ends(recorded, database.settings.kafka)
    return Rows(recorded.columns, rows), unreachable


def recorded_logs(connection: Connection) -> Rows:
    """Every log with its state, and with its end as its follower last saw it."""
    found, unread = fetch(connection, STATUS), fetch(connection, UNREAD)
    columns = [name for name in found.columns if name != "shown_state"]
    return Rows(columns, [*map(_with_state, found), *(dict.fromkeys(columns) | _unread(log) for log in unread)])


def with_end(row: Row, end: int | None) -> Row:
    """A row with the log's end, which was read after the position; an end below it belongs to another log."""
    if end is None or end < row["next_offset"]:
        return row | {"end_offset": None, "lag": None}
    return row | {"end_offset": end, "lag": end - row["next_offset"]}


def _with_ends(rows: list[Row], options: KafkaOptions | None) -> tuple[list[Row], str]:
    """The rows with ends from the brokers, if any are set; and a message if they did not answer."""
    if options is None or not any(map(_is_on_brokers, rows)):
        return rows, ""
    from coordstream.queries.broker_ends import TopicIdentity, broker_ends  # noqa: PLC0415 (loads kafka-python)

    followed = [row for row in rows if _is_on_brokers(row) and row["is_newest"]]
    ends = broker_ends(options, [TopicIdentity(*(row[name] for name in TopicIdentity._fields)) for row in followed])
    return [_with_broker_end(row, ends.offsets, ends.missing) for row in rows], ends.sentence


def _with_broker_end(row: Row, ends: Mapping[str, int], missing: Collection[str]) -> Row:
    if not _is_on_brokers(row):
        return row
    if not row["is_newest"]:
        return with_end(row, None)
    return with_end(row, ends.get(row["stream_name"])) | {"topic_is_missing": row["stream_name"] in missing}


def _is_on_brokers(row: Row) -> bool:
    return bool(row["backend"] == KAFKA)


def _with_state(row: Row) -> Row:
    """The row with the state that people see."""
    shown = row.pop("shown_state")
    return row | {"state": shown, "topic_is_missing": False}


def _unread(log: Row) -> Row:
    """What is known about a log in Postgres that has never been followed."""
    job = identify(log["stream_name"], log["stream_kind"])
    return {
        "job_name": job.job_name,
        "job_id": job.job_id,
        "job_bucket": job.job_bucket,
        "stream_name": job.stream_name,
        "stream_kind": job.stream_kind,
        "incarnation": log["incarnation"],
        "next_offset": 0,
        "end_offset": log["end_offset"],
        "lag": log["end_offset"],
        "state": "stopped" if log["retired_detail"] is None else "retired",
        "state_detail": log["retired_detail"] or "no follower has read it yet",
        "backend": POSTGRES,
        "topic_is_missing": False,
        "is_newest": True,
        "quarantine_open": 0,
        "gap_count": 0,
    }
