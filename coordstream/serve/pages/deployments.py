"""The page of a job's runs and deployments."""

from datetime import timedelta
from itertools import groupby
from operator import itemgetter
from typing import Final

from coordstream.queries.config import newest_deployments, writer
from coordstream.queries.rows import Row
from coordstream.serve.pages.asked import Asked
from coordstream.serve.pages.job import job_head
from coordstream.times import as_datetime
from eventlog.postgres.connection import Connection

MOST_DEPLOYMENTS: Final = 100


def deployments_page(connection: Connection, asked: Asked) -> Row:
    """The newest deployments of a job, by run: the newest run first."""
    job, head = job_head(connection, asked)
    rows = newest_deployments(connection, job, until=asked.cut.time, limit=MOST_DEPLOYMENTS)[::-1]
    deployments = [row | {"before": _before(row)} for row in rows]
    runs = [(number, list(found)) for number, found in groupby(deployments, key=itemgetter("run_number"))]
    return head | {"runs": runs, "writer": writer, "is_cut": len(rows) == MOST_DEPLOYMENTS, "most": MOST_DEPLOYMENTS}


def _before(deployment: Row) -> str | None:
    """A millisecond before a deployment, to compare its config with that before; None if its time has no page."""
    first, last = (as_datetime(deployment[f"{end}_record_time"]) for end in ("first", "last"))
    if first is None or last is None:
        return None
    return (first - timedelta(milliseconds=1)).isoformat().replace("+00:00", "Z")
