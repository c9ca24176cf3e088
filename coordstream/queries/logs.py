"""The logs of a database, with the state of their followers and their ends, and what is wrong with them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from psycopg import sql

from coordstream.database import Database
from coordstream.queries.rows import Row, fetch
from eventlog.kafka.options import KafkaOptions
from eventlog.postgres.connection import Connection
from eventlog.source import KAFKA, POSTGRES, RECORDING
from eventlog.streams import identify
from projections.errors import NOT_FOLDED
from projections.stream_lock import holders

WORST_FIRST: Final = ("lost", "refused", "waiting", "replacing", "catching-up", "stopped", "live", "retired")

_NOT_LIVE: Final = {
    "stopped": "is not followed. Start its follower",
    "catching-up": "has not been read to its end yet",
    "replacing": "has not been read to the end of its new incarnation yet",
}

STATUS: Final = sql.SQL("""
select p.*, l.backend, l.cluster_id, l.topic_id,
       extract(epoch from greatest(statement_timestamp() - greatest(p.heartbeat_at, projection.writable_since()),
                                   p.heartbeat_at - statement_timestamp(), '0'))::float8
         as heartbeat_age_seconds,  -- as projection.log_status counts it
       e.record_time as last_event_time, q.quarantine_open, coalesce(g.gap_count, 0) as gap_count,
       false as topic_is_missing
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
""")

UNREAD: Final = sql.SQL("""
select s.*, u.*, projection.retired_detail(t.retired_at) as retired_detail
from projection.unread_log u left join ({status}) s on false
left join projection.retired_stream t on t.stream_name = u.stream_name
order by u.stream_name
""").format(status=STATUS)


def silent_holders(connection: Connection) -> dict[str, str]:
    """A message for each stream, or coordinator, whose lock is held by a session that is silent, by its name."""
    return {
        name: f"{name} is held by {holder}, which is {holder.silence}."
        for name, holder in holders(connection).items()
        if holder.is_silent
    }


def logs_now(database: Database) -> tuple[list[Row], str]:
    """Every log with its current state and end; and a message if the brokers did not answer."""
    return _with_ends(recorded_logs(database.connection), database.settings.kafka)


def recorded_logs(connection: Connection) -> list[Row]:
    """Every log with its state, and with its end as its follower last saw it."""
    return [*fetch(connection, STATUS), *map(_unread, fetch(connection, UNREAD))]


def with_end(row: Row, end: int | None) -> Row:
    """A row with the log's end, which was read after the position; an end below it belongs to another log."""
    if end is None or end < row["next_offset"]:
        return row | {"end_offset": None, "lag": None}
    return row | {"end_offset": end, "lag": end - row["next_offset"]}


def _with_ends(rows: list[Row], options: KafkaOptions | None) -> tuple[list[Row], str]:
    """The rows with ends from the brokers, if any are set; and a message if they did not answer."""
    if options is None or KAFKA not in {row["backend"] for row in rows}:
        return rows, ""
    from coordstream.queries.broker_ends import TopicIdentity, broker_ends  # noqa: PLC0415 (loads kafka-python)

    followed = [row for row in rows if row["backend"] == KAFKA and row["is_newest"]]
    ends = broker_ends(options, [TopicIdentity(*(row[name] for name in TopicIdentity._fields)) for row in followed])
    return [_with_broker_end(row, ends.offsets, ends.missing) for row in rows], ends.sentence


def _with_broker_end(row: Row, ends: Mapping[str, int], missing: Collection[str]) -> Row:
    if row["backend"] != KAFKA:
        return row
    if not row["is_newest"]:
        return with_end(row, None)
    return with_end(row, ends.get(row["stream_name"])) | {"topic_is_missing": row["stream_name"] in missing}


def _unread(log: Row) -> Row:
    """What is known about a log in Postgres that has never been followed."""
    job, retired = identify(log["stream_name"], log["stream_kind"]), log.pop("retired_detail")
    return log | {
        "job_name": job.job_name,
        "job_id": job.job_id,
        "job_bucket": job.job_bucket,
        "stream_kind": job.stream_kind,
        "next_offset": 0,
        "lag": log["end_offset"],
        "state": "stopped" if retired is None else "retired",
        "state_detail": retired or "no follower has read it yet",
        "backend": POSTGRES,
        "topic_is_missing": False,
        "is_newest": True,
        "quarantine_open": 0,
        "gap_count": 0,
    }


class Limits(NamedTuple):
    """What a monitor allows: the largest lag in offsets, and seconds since the last heartbeat; None: no limit.

    ``must_be_live``: a log that is not followed, or was not read to its end yet, has a fault.
    """

    lag: int | None = None
    age_seconds: float | None = None
    must_be_live: bool = False


def is_to_rebuild(log: Row) -> bool:
    """Whether the rows of a log were dropped, so it must be rebuilt from the archive."""
    return bool(log["fold_version"] == NOT_FOLDED)


def faults(logs: Sequence[Row], limits: Limits) -> Iterator[tuple[str, str]]:
    """A message for each fault, after the name of its stream. Only the newest log of a stream can have one.

    Without a limit of age, a lost log is a fault and one that was stopped cleanly is not; with a limit, only the age
    counts. A recording has no follower: it has no fault once its import is complete. A retired log has none. If there
    is a limit and there are no logs at all, that is a fault too.
    """
    if not logs and limits != Limits():
        yield "", "No logs. Import or follow a stream."
    for log in logs:
        if log["is_newest"] and log["state"] != "retired":
            found = _of_recording(log, limits) if log["backend"] == RECORDING else _of_log(log, limits)
            # the detail of a state may end in a full stop
            name = log["stream_name"]
            yield from ((name, f"{name} {fault.removesuffix('.')}.") for fault in found)


def _of_recording(log: Row, limits: Limits) -> Iterator[str]:
    if log["state"] == "lost":
        yield "was imported only partly. Import it again: it continues where it stopped"
    elif log["state"] == "refused":
        yield f"is refused: {log['state_detail']}"
    if limits.lag is not None and log["lag"] is None:
        yield "has an unknown lag: its import is incomplete"


def _of_log(log: Row, limits: Limits) -> Iterator[str]:
    if log["topic_is_missing"]:
        yield (
            "does not exist on its brokers, or the Kafka user may not describe it. Create it again, grant the right, "
            f"or run `coordstream log retire {log['stream_name']}` if its job was deleted"
        )
    elif log["state"] == "refused":
        yield f"is refused: {log['state_detail']}"
    elif log["state"] not in ("lost", "stopped") and log["state_detail"] is not None:
        yield f"is not followed now: {log['state_detail']}"
    if limits.must_be_live and log["state"] in _NOT_LIVE:
        yield _NOT_LIVE[log["state"]]
    yield from _of_age(log, limits.age_seconds)
    if limits.lag is not None:
        yield from _of_lag(log, limits.lag)


def _of_age(log: Row, most_seconds: float | None) -> Iterator[str]:
    age = log["heartbeat_age_seconds"]
    if age is None:
        if most_seconds is not None:
            yield "has never been read. Start its follower"
    elif log["state"] == "lost" if most_seconds is None else age > most_seconds:
        yield f"has had no heartbeat for {age:.0f} s. Start its follower, or find out why it hangs"


def _of_lag(log: Row, most: int) -> Iterator[str]:
    if log["lag"] is None:
        yield "has an unknown lag. Start its follower, or check that the brokers can be reached"
    elif log["lag"] > most:
        yield f"has a lag of {log['lag']}, more than {most}"
