"""The page of events that could not be decoded, and of gaps in the logs."""

from typing import Final

from psycopg import sql

from coordstream.queries.rows import Row, fetch
from coordstream.serve.pages.asked import Asked
from coordstream.serve.pages.paging import Page, page_to_fill
from eventlog.postgres.connection import Connection
from projections.job_choice import Job

PAGE_ROWS: Final = 50
MOST_GAPS: Final = 200

_QUARANTINE: Final = sql.SQL(
    """
    from coordinator.quarantine q
    where (%(name)s::text is null or q.job_name = %(name)s and q.job_id = %(id)s)
      and (%(at)s::timestamptz is null or q.record_time <= %(at)s)
      and (%(shows_resolved)s or not q.is_resolved)
    """
)
_COUNT: Final = sql.SQL("select count(*) as total {}").format(_QUARANTINE)
_ROWS: Final = sql.SQL(
    """
    select q.* {}
    order by q.record_time desc nulls last, q.job_name, q.job_id, q.stream_kind, q.incarnation desc, q.log_offset desc
    limit %(limit)s offset %(skipped)s
    """
).format(_QUARANTINE)
_GAPS: Final = sql.SQL(
    """
    select g.*, count(*) over () as total from coordinator.log_gap g
    where %(name)s::text is null or g.job_name = %(name)s and g.job_id = %(id)s
    order by g.job_name, g.job_id, g.stream_kind desc, g.incarnation desc, g.first_missing_offset desc
    limit %(limit)s
    """
)


def quarantine_page(connection: Connection, asked: Asked) -> Row:
    """The newest events in quarantine, and the gaps; of one job if the parameter ``job`` is given."""
    job = asked.job(connection) if asked.text("job") else None
    shows_resolved = asked.text("show") == "all"
    page = _quarantine(connection, asked, job, shows_resolved=shows_resolved)
    gaps = fetch(connection, _GAPS, {**_of(job), "limit": MOST_GAPS})
    return {
        "job": job,
        "page": page,
        "shows_resolved": shows_resolved,
        "gaps": gaps,
        "gap_count": gaps[0]["total"] if gaps else 0,
    }


def _quarantine(connection: Connection, asked: Asked, job: Job | None, *, shows_resolved: bool) -> Page:
    values = {**_of(job), "at": asked.cut.time, "shows_resolved": shows_resolved}
    (counted,) = fetch(connection, _COUNT, values)
    page = page_to_fill(counted["total"], asked.page_number, PAGE_ROWS)
    rows = fetch(connection, _ROWS, {**values, "limit": PAGE_ROWS, "skipped": page.first - 1})
    return page._replace(rows=rows)


def _of(job: Job | None) -> Row:
    return {"name": None, "id": None} if job is None else {"name": job.name, "id": job.id}
