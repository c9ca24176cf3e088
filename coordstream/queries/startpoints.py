"""The steps of startpoints, and where a task starts to read, in words."""

from datetime import UTC, datetime
from typing import Final

from psycopg import sql

from coordstream.queries.rows import Cut, Row, cut_values, fetch, of_job, printable
from eventlog.postgres.connection import Connection
from eventlog.secret_policy import SecretPolicy
from eventlog.startpoint import StartingOffset, Startpoint
from projections.job_choice import Job

_ENDS: Final = {"oldest": "at the oldest record", "upcoming": "with the next new record"}


def describe_place(candidate: str) -> str:
    """Where a candidate of ``coordinator.explain`` starts, such as ``at offset 42``."""
    kind, _, value = candidate.partition(" ")
    match kind:
        case "specific":
            return f"at offset {printable(value)}"
        case "timestamp":
            return f"at the first record since {_time(value)}"
        case "after":
            return f"after offset {printable(value.rpartition(' (')[0])}"
    return _ENDS.get(candidate, f"at {printable(candidate)}")


def describe_startpoint(startpoint: Startpoint, secrets: SecretPolicy) -> tuple[str, str | None, str]:
    """A startpoint's type, its value without secrets, and where it starts, such as ``at offset 42``."""
    kind, value = startpoint.kind, startpoint.value and secrets.mask_text(startpoint.value)
    if kind in ("specific", "timestamp") and not value:
        return kind, value, "nowhere, because it has no value"
    return kind, value, describe_place(_candidate(kind, value))


def describe_start(start: StartingOffset, secrets: SecretPolicy) -> str:
    """Where a task starts, without secrets, and what decides it, such as ``at offset 42 (checkpoint)``."""
    value = start.startpoint_value or start.starting_offset
    if start.startpoint_type is None and value is None:
        return f"after the last processed record ({start.decided_by})"
    place = describe_place(_candidate(start.startpoint_type or "specific", value and secrets.mask_text(value)))
    return f"{place} ({start.decided_by})"


def type_and_value(row: Row) -> str:
    """A startpoint's type and value, such as ``specific 20``."""
    return _candidate(row["startpoint_type"], row["startpoint_value"])


def _candidate(kind: str, value: str | None) -> str:
    return kind if value is None else f"{kind} {value}"


def _time(ms: str) -> str:
    try:
        return f"{datetime.fromtimestamp(int(ms) / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (ValueError, OverflowError, OSError):
        return f"timestamp {printable(ms)}"


# sorted by time, not by offset: no event records that a startpoint expired
_STEPS: Final = sql.SQL("""
select n.* from (
  {of_job}
    and (%(since)s::timestamptz is null or h.record_time >= %(since)s)
    and (%(until)s::timestamptz is null or h.record_time <= %(until)s)
  order by h.incarnation desc, h.record_time desc nulls last, h.log_offset desc nulls last, h.system_name desc,
    h.stream_name desc, h.partition_id desc, h.key_bucket desc, h.task_name desc nulls last,
    h.created_at desc, h.status desc
  limit %(limit)s) n
order by n.incarnation, n.record_time nulls first, n.log_offset nulls first, n.system_name,
  n.stream_name, n.partition_id, n.key_bucket, n.task_name nulls first, n.created_at, n.status
""")


def startpoint_steps(
    connection: Connection,
    job: Job,
    as_of: datetime | None,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int | None = None,
) -> list[Row]:
    """The newest ``limit`` steps of a job's startpoints, sorted by time, as of a time or now.

    ``since`` and ``until`` are inclusive and compare with the time of the step.
    """
    cut = Cut(as_of)
    query = _STEPS.format(of_job=of_job("startpoint_history", cut))
    return fetch(connection, query, {**cut_values(job, cut), "since": since, "until": until, "limit": limit})
