"""The page of events that could not be decoded, and of gaps in the logs."""

from typing import Final

from psycopg import sql

from coordstream.cli.query.rows import Row, fetch
from coordstream.serve.pages.asked import Asked
from coordstream.serve.pages.paging import Page
from eventlog.postgres.connection import Connection
from projections.job_choice import Job

PAGE_ROWS: Final = 50
MOST_GAPS: Final = 200

_QUARANTINE: Final = sql.SQL(
    """
    select q.*, count(*) over () as total from coordinator.quarantine q
    where (%(name)s::text is null or q.job_name = %(name)s and q.job_id = %(id)s)
      and (%(at)s::timestamptz is null or q.record_time <= %(at)s)
      and (%(shows_resolved)s or not q.is_resolved)
    order by q.record_time desc nulls last, q.job_name, q.job_id, q.stream_kind, q.incarnation desc, q.log_offset desc
    limit %(limit)s offset %(skipped)s
    """
)
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
    skipped = (asked.page_number - 1) * PAGE_ROWS
    values = {"at": asked.cut.time, "shows_resolved": shows_resolved, "limit": PAGE_ROWS, "skipped": skipped}
    rows = fetch(connection, _QUARANTINE, {**_of(job), **values})
    total = rows[0]["total"] if rows else 0
    return Page(rows, asked.page_number, max(-(-total // PAGE_ROWS), asked.page_number), total, skipped + 1)


def _of(job: Job | None) -> Row:
    return {"name": None, "id": None} if job is None else {"name": job.name, "id": job.id}
