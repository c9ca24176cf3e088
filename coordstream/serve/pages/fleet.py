"""The pages about all jobs: the fleet, problems first, or as of a time; and quarantine and gaps."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

from psycopg import sql

from coordstream.queries.jobs import STATES, job_key, job_states, worst_first
from coordstream.queries.logs import WORST_FIRST, recorded_logs
from coordstream.queries.rows import Row, fetch, job_values
from coordstream.serve.pages.asked import Asked, Page, page_of
from eventlog.postgres.connection import Connection

PAGE_ROWS: Final = 50

_DETAILS: Final = sql.SQL("""
select j.job_name, j.job_id, j.task_count, j.container_count, j.last_record_time
from unnest(%(names)s::text[], %(ids)s::text[]) w(job_name, job_id)
join coordinator.job j on j.job_name = w.job_name and j.job_id = w.job_id
""")
# A job is listed from its first event on.
_THEN: Final = sql.SQL("""
select j.job_name, j.job_id, null as state, null as state_detail, false as is_problem
from (select distinct l.job_name, l.job_id from projection.job_log l) j
where (%(search)s::text is null or strpos(lower(j.job_name || '/' || j.job_id), lower(%(search)s)) > 0)
  and exists (
    select from projection.job_log l
    cross join lateral (
      select t.log_time from projection.log_time t where t.log_id = l.log_id order by t.log_offset limit 1) f
    where l.job_name = j.job_name and l.job_id = j.job_id and f.log_time <= %(at)s)
order by j.job_name, j.job_id
""")
# Below the horizon of a retention the as-of functions raise, so they are not called there.
_DETAILS_THEN: Final = sql.SQL("""
select w.job_name, w.job_id, h.is_retained,
  case when h.is_retained then (
    select count(*) from coordinator.config_as_of(w.job_name, w.job_id, %(at)s)) end as config_count,
  case when h.is_retained then (
    select count(distinct t.task_name)
    from coordinator.task_container_as_of(w.job_name, w.job_id, %(at)s) t) end as task_count,
  case when h.is_retained then (
    select count(distinct t.container_id)
    from coordinator.task_container_as_of(w.job_name, w.job_id, %(at)s) t) end as container_count,
  (select max(e.record_time)
   from projection.job_log l
   cross join lateral projection.log_cut(l.log_id, %(at)s) c
   cross join lateral (
     select a.record_time from projection.archived_event a
     where a.log_id = l.log_id and a.log_offset <= c.cut order by a.log_offset desc limit 1) e
   where l.job_name = w.job_name and l.job_id = w.job_id) as last_record_time
from unnest(%(names)s::text[], %(ids)s::text[]) w(job_name, job_id)
cross join lateral (
  select coalesce(max(p.horizon_time) <= %(at)s, true) as is_retained
  from coordinator.log_position p where p.job_name = w.job_name and p.job_id = w.job_id) h
""")
NO_DETAILS: Final = {"task_count": None, "container_count": None, "last_record_time": None}
MOST_GAPS: Final = 200
_QUARANTINE: Final = sql.SQL("""
from coordinator.quarantine q
where (%(name)s::text is null or q.job_name = %(name)s and q.job_id = %(id)s)
  and (%(at)s::timestamptz is null or q.record_time <= %(at)s)
  and (%(shows_resolved)s or not q.is_resolved)
""")
_COUNT: Final = sql.SQL("select count(*) as total {}").format(_QUARANTINE)
_ROWS: Final = sql.SQL("""
select q.* {}
order by q.record_time desc nulls last, q.job_name, q.job_id, q.stream_kind, q.incarnation desc, q.log_offset desc
limit %(limit)s offset %(skipped)s
""").format(_QUARANTINE)
_GAPS: Final = sql.SQL("""
select g.*, count(*) over () as total from coordinator.log_gap g
where %(name)s::text is null or g.job_name = %(name)s and g.job_id = %(id)s
order by g.job_name, g.job_id, g.stream_kind desc, g.incarnation desc, g.first_missing_offset desc
limit %(limit)s
""")


def fleet(connection: Connection, asked: Asked) -> Row:
    """A page of the jobs: those with problems first; as of a time, those that existed, by name."""
    search, at, show = asked.text("q"), asked.cut.time, asked.choice("show", ("all", "problems"))
    if at is None:
        states = job_states(connection, recorded_logs(connection), asked.tasks.statuses(connection), asked.limits)
        every = sorted((job for job in states if _matches(job, search)), key=worst_first)
        jobs = [job for job in every if show != "problems" or job["is_problem"]]
    else:
        jobs = fetch(connection, _THEN, {"search": search, "at": at})
        every = jobs
    page = page_of(jobs, asked.page_number, PAGE_ROWS)
    return {
        "search": search,
        "page": page._replace(rows=_with_details(connection, page, at)),
        "states": _counted("state", every, STATES),
        "log_states": {} if at else _counted("log_state", every, WORST_FIRST),
        "job_count": len(every),
        "problem_count": sum(bool(job["is_problem"]) for job in every),
    }


def _matches(job: Row, search: str | None) -> bool:
    return search is None or search.lower() in f"{job['job_name']}/{job['job_id']}".lower()


def _counted(name: str, jobs: Iterable[Row], order: Iterable[str]) -> dict[str, int]:
    counts = Counter(job[name] for job in jobs)
    return {state: counts[state] for state in order if counts[state]}


def _with_details(connection: Connection, page: Page, at: datetime | None) -> list[Row]:
    names, ids = ([job[column] for job in page.rows] for column in ("job_name", "job_id"))
    values: dict[str, Any] = {"names": names, "ids": ids, "at": at}
    found = fetch(connection, _DETAILS if at is None else _DETAILS_THEN, values) if names else []
    details = {job_key(row): row for row in found}
    return [NO_DETAILS | job | details.get(job_key(job), {}) for job in page.rows]


def quarantine_page(connection: Connection, asked: Asked) -> Row:
    """The newest events in quarantine, and now the gaps; of one job if the parameter ``job`` is given."""
    job = asked.job(connection) if asked.text("job") else None
    show = asked.choice("show", ("unresolved", "all"))
    shows_resolved = asked.cut.time is not None or show == "all"  # what was resolved then is not known
    values = {**job_values(job), "at": asked.cut.time, "shows_resolved": shows_resolved}
    (counted,) = fetch(connection, _COUNT, values)
    page = page_of(range(counted["total"]), asked.page_number, PAGE_ROWS)
    rows = fetch(connection, _ROWS, {**values, "limit": PAGE_ROWS, "skipped": page.first - 1})
    gaps = [] if asked.cut.time else fetch(connection, _GAPS, {**job_values(job), "limit": MOST_GAPS})
    return {
        "job": job,
        "page": page._replace(rows=rows),
        "shows_resolved": shows_resolved,
        "gaps": gaps,
        "gap_count": gaps[0]["total"] if gaps else 0,
    }
