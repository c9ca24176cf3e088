"""The page of a job's config: the keys, what differs from another time, and the changes."""

from typing import Final

from coordstream.queries.config import differences, matching, matching_keys, writer
from coordstream.queries.cut import Cut
from coordstream.queries.history import History, select_history
from coordstream.queries.rows import Row, state
from coordstream.serve.pages.asked import Asked
from coordstream.serve.pages.job import job_head
from coordstream.serve.pages.paging import page_of
from eventlog.postgres.connection import Connection
from projections.job_choice import Job

PAGE_ROWS: Final = 200
MOST_CHANGES: Final = 50


def config_page(connection: Connection, asked: Asked) -> Row:
    """The config of a job, with fingerprints instead of secrets."""
    job, head = job_head(connection, asked)
    pattern, from_time = asked.text("key"), asked.time("from")
    rows = state(connection, "config", job, asked.cut)
    shown = sorted(matching(rows, pattern), key=lambda row: str(row["config_key"]))
    earlier = [] if from_time is None else matching(state(connection, "config", job, Cut(from_time)), pattern)
    return head | {
        "pattern": pattern,
        "from_time": from_time,
        "differences": None if from_time is None else list(differences(earlier, shown)),
        "page": page_of(shown, asked.page_number, PAGE_ROWS),
        "changes": _changes(connection, job, asked.cut, pattern),
        "writer": writer,
        "key_count": len(rows),
    }


def _changes(connection: Connection, job: Job, cut: Cut, pattern: str | None) -> list[Row]:
    """The newest changes of values, newest first."""
    keys = None if pattern is None else matching_keys(connection, job, pattern)
    history = History("config_change", kind="coordinator", cut=cut, limit=MOST_CHANGES, equal={"config_key": keys})
    return list(select_history(connection, job, history))[::-1]
