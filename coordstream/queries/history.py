"""Histories of a job: selected in the query, and fetched from the server as they are printed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple

from psycopg import sql
from psycopg.rows import dict_row

from coordstream.queries.rows import Cut, IsoTimeLoader, Row, conditions
from eventlog.postgres.connection import Connection
from projections.job_choice import Job

FETCHED_AT_ONCE: Final = 1_000
FIRST_WIDTH: Final = 1_000
WIDENING: Final = 8

# log_time is the running maximum of record times, so events before the cut are older; a log that never reaches the time
# may contain records from a clock that is ahead
_STRETCHES: Final = """
select j.stream_kind, j.incarnation, min(case when s.cut < p.next_offset then s.cut + 1 else 0 end) as first,
  max(case when %(time)s::timestamptz is null or j.incarnation < k.incarnation
           then p.next_offset - 1
           when j.incarnation = k.incarnation then least(p.next_offset - 1, coalesce(k.cut, -1)) else -1 end) as last
from projection.job_log j join projection.position p using (log_id)
left join lateral projection.log_cut(j.log_id, %(since)s::timestamptz - interval '1 microsecond') s
  on %(since)s::timestamptz is not null
left join projection.job_at(%(name)s, %(id)s, %(time)s::timestamptz) c on %(time)s::timestamptz is not null
cross join lateral (
  select case j.stream_kind when 'coordinator' then c.coordinator_incarnation else c.checkpoint_incarnation end,
         case j.stream_kind when 'coordinator' then c.coordinator_cut else c.checkpoint_cut end) k(incarnation, cut)
where j.job_name = %(name)s and j.job_id = %(id)s
group by j.stream_kind, j.incarnation order by j.stream_kind desc, j.incarnation
"""
_WITHIN: Final = sql.SQL("""
from {relation} h where h.job_name = %(name)s and h.job_id = %(id)s and h.stream_kind = %(stream_kind)s
  and h.incarnation = %(incarnation)s and h.log_offset between %(first)s and %(last)s{conditions}
  and (%(since)s::timestamptz is null or h.record_time >= %(since)s)
  and (%(until)s::timestamptz is null or h.record_time <= %(until)s)
""")
_NTH_NEWEST: Final = sql.SQL("select h.log_offset {within} order by h.log_offset desc offset %(skipped)s limit 1")


class Stretch(NamedTuple):
    """A range of offsets in one of a job's logs, both ends inclusive."""

    stream_kind: str
    incarnation: int
    first: int
    last: int


@dataclass(frozen=True)
class History:
    """A relation with one or more rows for each event, and the filters on it.

    ``events`` is the relation with a row for each event, which ``limit`` counts: the newest ``limit`` events are shown,
    each with all of its rows. ``order`` are the columns that sort the rows of an event. ``equal`` are values of columns
    to filter by (see `rows.conditions`); ``events`` has these columns too. ``since`` and ``until`` are inclusive and
    compare with record times.
    """

    relation: str
    events: sql.Identifier | None = None
    order: Sequence[str] = ()
    cut: Cut = field(default_factory=Cut)
    since: datetime | None = None
    until: datetime | None = None
    limit: int | None = None
    equal: Mapping[str, Any] = field(default_factory=dict)


def select_history(connection: Connection, job: Job, history: History) -> Iterator[Row]:
    """The rows of a history of a job, sorted by log, then by offset, in the caller's transaction: a snapshot.

    They are read while that is open; at most one page is in memory.
    The checkpoint topic follows the coordinator stream, and a newer incarnation follows the older one.
    """
    relation = sql.Identifier("coordinator", history.relation)
    order = sql.SQL(", ").join(sql.SQL("h.{}").format(sql.Identifier(name)) for name in ("log_offset", *history.order))
    stretches = _stretches(connection, job, history)
    if history.limit is not None:
        stretches = _newest(connection, job, history, stretches, history.limit)
    select = sql.SQL("select h.* {within} order by {order}").format(within=_within(relation, history), order=order)
    return _read(connection, select, [_values(job, history, each) for each in stretches])


def _read(connection: Connection, query: sql.Composed, values: Sequence[Row]) -> Iterator[Row]:
    for each in values:
        with connection.cursor("history", row_factory=dict_row) as cursor:
            cursor.adapters.register_loader("timestamptz", IsoTimeLoader)
            cursor.itersize = FETCHED_AT_ONCE
            yield from cursor.execute(query, each)


def _stretches(connection: Connection, job: Job, history: History) -> list[Stretch]:
    """The offsets of each log up to the cut, without those that are certainly older than ``since``."""
    values = {**job._asdict(), "time": history.cut.time, "since": history.since}
    found = [Stretch(*row) for row in connection.execute(_STRETCHES, values).fetchall()]
    return [stretch for stretch in found if stretch.first <= stretch.last]


def _newest(
    connection: Connection, job: Job, history: History, stretches: Sequence[Stretch], limit: int
) -> list[Stretch]:
    """The stretches with the newest ``limit`` events: the last one and, if that has too few, those before it."""
    chosen: list[Stretch] = []
    for stretch in reversed(stretches):
        first, found = _nth_newest(connection, job, history, stretch, limit)
        chosen.append(stretch._replace(first=first))
        limit -= found
        if limit == 0:
            break
    return chosen[::-1]


def _nth_newest(connection: Connection, job: Job, history: History, stretch: Stretch, limit: int) -> tuple[int, int]:
    """The offset of the ``limit``-th newest event, and the number of events from there: fewer if there are no more.

    Searches from the end in ever wider ranges of offsets, because no index sorts a log's events by age alone.
    """
    within = _within(history.events or sql.Identifier("coordinator", history.relation), history)
    query = _NTH_NEWEST.format(within=within)
    width = max(FIRST_WIDTH, limit)
    while True:
        first = max(stretch.first, stretch.last + 1 - width)
        values = _values(job, history, stretch._replace(first=first))
        row = connection.execute(query, {**values, "skipped": limit - 1}).fetchone()
        if row is not None:
            return int(row[0]), limit
        if first == stretch.first:
            count = connection.execute(sql.SQL("select count(*) {}").format(within), values).fetchone()
            return first, 0 if count is None else int(count[0])
        width *= WIDENING


def _within(relation: sql.Identifier, history: History) -> sql.Composed:
    return _WITHIN.format(relation=relation, conditions=conditions(history.equal))


def _values(job: Job, history: History, stretch: Stretch) -> Row:
    times = {"since": history.since, "until": history.until}
    return {**job._asdict(), **history.equal, **times, **stretch._asdict()}
