"""`coordstream bisect`: the event with which a condition about a job became true."""

from bisect import bisect_left
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Annotated, Final, NamedTuple

import psycopg
import typer
from psycopg import sql

from coordstream.cli.arguments import JobWord, Json, time_option
from coordstream.cli.output import Column, exact_time_column, print_rows
from coordstream.database import open_job
from coordstream.errors import CoordstreamError
from coordstream.queries.rows import fetch, job_values
from eventlog.postgres.connection import Connection, server_reason, snapshot
from eventlog.streams import StreamKind
from projections.job_choice import Job

app = typer.Typer()

_OF_COORDINATOR_STREAM: Final = (
    *("changelog_mapping", "config", "container_execution", "container_host", "job_coordinator_metadata"),
    *("startpoint_fan_out", "task_container", "task_mode", "task_partition"),
)
_OF_BOTH: Final = ("checkpoint", "state_checkpoint")
_RELATION: Final = """
{{name}} as (
  select r.*, l.stream_kind, l.incarnation,
    case l.stream_kind when 'checkpoint' then 'checkpoint-topic' else 'coordinator-stream' end as origin
  from projection.{{rows}}({}, null) r join projection.job_log l on l.log_id = r.log_id)
"""
_OF_ONE_CUT: Final = sql.SQL(_RELATION.format("{log}, {cut}"))
_OF_BOTH_CUTS: Final = sql.SQL(_RELATION.format("{log}, {cut}, {log2}, {cut2}"))
_OTHERS: Final = sql.SQL("""
startpoint as (select * from projection.startpoint_state({log}, {incarnation}, {cut}, {log2}, {cut2}, {at})),
starting_offset as (
  select * from projection.starting_offset_state({log}, {cut}, {log2}, {cut2}, {at}, null) where decided_by is not null)
""")
_ASK: Final = sql.SQL("with {relations} select ({condition}\n) is true")
_CUT: Final = """
select coordinator_log, coordinator_incarnation, coalesce(coordinator_cut, -1),
       checkpoint_log, checkpoint_incarnation, coalesce(checkpoint_cut, -1)
from (select) one left join projection.job_at(%s, %s, %s) on true
"""
_RANGE: Final = """
select min(f.log_time), max(n.at), max(h.horizon_time) from projection.job_log l
cross join lateral (
  select t.log_time from projection.log_time t where t.log_id = l.log_id order by t.log_offset limit 1) f
cross join lateral projection.log_time_at(l.log_id, 9223372036854775807) n
left join projection.log_horizon h on h.log_id = l.log_id and l.is_current
where l.job_name = %s and l.job_id = %s
"""
_EVENT: Final = sql.SQL("""
select e.* from coordinator.event e
where e.job_name = %(name)s and e.job_id = %(id)s and e.stream_kind = %(kind)s and e.incarnation = %(incarnation)s
  and e.log_offset = %(log_offset)s
""")
_EXPECTED: Final = "Expected SQL that is true or false, for example 'exists (select from startpoint)'."
_COLUMNS: Final = (
    Column("log", "stream_kind"),
    Column("offset", "log_offset", "right"),
    exact_time_column("time", "record_time"),
    Column("type", "message_type"),
    Column("operation", "operation"),
    Column("key", "message_key"),
    Column("by", "source", drop=1),
)


class JobCut(NamedTuple):
    """The events of a job's coordinator stream and checkpoint topic (the fields ending in 2) up to a time.

    Or to an event within it: ``cut`` and ``cut2`` are the last offsets. ``log`` or ``log2`` None: the job had no such
    log.
    """

    at: datetime
    log: int | None
    incarnation: int | None
    cut: int
    log2: int | None
    incarnation2: int | None
    cut2: int


Event = tuple[StreamKind, int | None, int]
"""The kind of its stream, the incarnation and the offset."""

CutAt = Callable[[datetime], JobCut]
IsTrue = Callable[[JobCut], bool]


@app.command()
def bisect(
    job: JobWord,
    condition: Annotated[
        str, typer.Argument(metavar="CONDITION", help="A condition in SQL about the relations, as of each moment.")
    ],
    begin: Annotated[
        datetime | None, time_option("--from", help="When it was false (default: before all retained events).")
    ] = None,
    end: Annotated[datetime | None, time_option("--to", help="When it was true (default: now).")] = None,
    as_json: Json = False,
) -> None:
    """Find the event with which a condition about a job became true.

    Example: coordstream bisect wordcount "(select count(distinct container_id) from task_container) > 2"

    The relations have the rows of this job as of each moment: changelog_mapping, checkpoint, config,
    container_execution, container_host, job_coordinator_metadata, starting_offset, startpoint, startpoint_fan_out,
    state_checkpoint, task_container, task_mode and task_partition. If the condition became true several times, one of
    these events is shown.
    """
    with open_job(job) as (connection, found), snapshot(connection):
        kind, incarnation, offset = _search(connection, found, condition, begin, end)
        values = {"kind": kind, "incarnation": incarnation, "log_offset": offset}
        rows = fetch(connection, _EVENT, {**job_values(found), **values})
    title = f"The condition became true for {found} with this event"
    print_rows(rows, _COLUMNS, title=title, as_json=as_json)


def _search(connection: Connection, job: Job, condition: str, begin: datetime | None, end: datetime | None) -> Event:
    """The event that made the condition true between two times."""
    first, last, horizon = connection.execute(_RANGE, tuple(job)).fetchall()[0]
    if first is None:
        raise CoordstreamError(f"{job} has no events yet.")

    def cut_at(at: datetime) -> JobCut:
        return JobCut(at, *connection.execute(_CUT, (*job, at)).fetchall()[0])

    is_true = partial(_is_true, connection, sql.SQL(condition))
    low = cut_at(begin or horizon or first - timedelta(microseconds=1))
    high = cut_at(min(end, last) if end else last)
    if low.at >= high.at:
        raise typer.BadParameter(f"There are no events of {job} between '--from' and '--to'.")
    if is_true(low):
        advice = "Use an earlier '--from'." if begin else "The database has no events before that time."
        raise CoordstreamError(f"The condition is true at {_utc(low.at)} already. {advice}")
    if not is_true(high):
        raise CoordstreamError(f"The condition is false at {_utc(high.at)}. Use another '--to'.")
    return first_true(low, high, cut_at, is_true)


def _is_true(connection: Connection, condition: sql.SQL, cut: JobCut) -> bool:
    query = _ASK.format(relations=_relations(cut), condition=condition)
    try:
        # in the binary format the server accepts a single statement only
        rows = connection.execute(query.as_bytes(connection), binary=True).fetchall()
    except psycopg.OperationalError:  # the connection is lost, or a time limit of the server is over
        raise
    except psycopg.Error as error:
        reason = server_reason(error) or "the database refused it"
        raise CoordstreamError(f"Invalid condition: {reason}. {_EXPECTED}") from None
    if [len(row) for row in rows] != [1]:
        raise CoordstreamError(f"Invalid condition: it returns several values. {_EXPECTED}")
    return bool(rows[0][0])


def _utc(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _relations(cut: JobCut) -> sql.Composable:
    """The relations of a job at a cut, as common table expressions; the server evaluates those that are used."""
    literals = {name: sql.Literal(value) for name, value in cut._asdict().items()}
    parts = [
        form.format(name=sql.Identifier(name), rows=sql.Identifier(f"{name}_at"), **literals)
        for form, names in ((_OF_ONE_CUT, _OF_COORDINATOR_STREAM), (_OF_BOTH_CUTS, _OF_BOTH))
        for name in names
    ]
    return sql.SQL(", ").join([*parts, _OTHERS.format(**literals)])


def first_true(low: JobCut, high: JobCut, cut_at: CutAt, is_true: IsTrue) -> Event:
    """The event between two cuts with which the condition, false at ``low`` and true at ``high``, became true.

    If the condition changes more than once in between, the event is one of those that made it true. Of events of one
    time, those of the coordinator stream come first, then those of the checkpoint topic. Raises `CoordstreamError`:
    time made the condition true, between two events.
    """

    def after(microseconds: int) -> JobCut:
        return cut_at(low.at + timedelta(microseconds=microseconds))

    length = (high.at - low.at) // timedelta(microseconds=1)
    first = bisect_left(range(length), True, lo=1, key=lambda microseconds: is_true(after(microseconds)))
    before, then = after(first - 1), after(first)
    if is_true(before._replace(at=then.at)):
        raise CoordstreamError(
            f"The condition became true at {then.at:%Y-%m-%d %H:%M:%S} UTC without an event. "
            "A startpoint has expired, or the condition depends on the current time."
        )
    events = _events_between(before.log, before.cut, then.log, then.cut)
    events2 = _events_between(before.log2, before.cut2, then.log2, then.cut2)

    def with_events(count: int) -> JobCut:
        if count <= len(events):
            return before._replace(at=then.at, log=then.log, incarnation=then.incarnation, cut=events[count - 1])
        return then._replace(cut2=events2[count - len(events) - 1])

    total = len(events) + len(events2)
    count = bisect_left(range(total), True, lo=1, key=lambda count: is_true(with_events(count)))
    found = with_events(count)
    if count <= len(events):
        return "coordinator", found.incarnation, found.cut
    return "checkpoint", found.incarnation2, found.cut2


def _events_between(low_log: int | None, low: int, high_log: int | None, high: int) -> range:
    return range(low + 1 if low_log == high_log else 0, high + 1)
