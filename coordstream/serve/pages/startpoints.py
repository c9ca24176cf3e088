"""The page of a job's startpoints: requested, fanned out, and what happened to earlier ones."""

from typing import Final

from coordstream.queries.rows import Row, state
from coordstream.queries.startpoints import startpoint_steps, type_and_value
from coordstream.serve.pages.asked import Asked
from coordstream.serve.pages.job import job_head
from eventlog.partition import natural_order
from eventlog.postgres.connection import Connection

MOST_STEPS: Final = 100


def startpoints_page(connection: Connection, asked: Asked) -> Row:
    """The startpoints of a job, and their newest steps."""
    job, head = job_head(connection, asked)
    requests = state(connection, "startpoint", job, asked.cut)
    fan_outs = state(connection, "startpoint_fan_out", job, asked.cut)
    return head | {
        "requests": sorted(requests, key=lambda row: int(row["log_offset"])),
        "fan_outs": sorted(fan_outs, key=lambda row: natural_order(row["task_name"])),
        "steps": startpoint_steps(connection, job, asked.cut.time, limit=MOST_STEPS)[::-1],
        "most": MOST_STEPS,
        "place": type_and_value,
    }
