"""How a task progressed: its checkpoint offsets over time, and its commits per minute."""

from datetime import datetime, timedelta
from itertools import groupby
from typing import Final, NamedTuple

from psycopg import sql

from coordstream.queries.history import History, select_history
from coordstream.queries.rows import PARTITION, Row, input_partition
from coordstream.serve.failures import BadRequest
from coordstream.serve.pages.asked import Asked
from coordstream.serve.pages.plot import Bars, Line, Point, Span, draw_line, draw_rates
from coordstream.times import as_datetime
from eventlog.partition import natural_order
from eventlog.postgres.connection import Connection
from projections.job_choice import Job

SPANS: Final = {
    "1h": ("1 hour", timedelta(hours=1)),
    "6h": ("6 hours", timedelta(hours=6)),
    "24h": ("24 hours", timedelta(days=1)),
    "7d": ("7 days", timedelta(days=7)),
}
DEFAULT_SPAN: Final = "24h"
MOST_COMMITS: Final = 2_000
"""How many commits are read: 24 hours have 1,440 with Samza's default of one per minute."""
MOST_LINES: Final = 12


class Commit(NamedTuple):
    """A checkpoint that the job would have read, with its time and the rows of its partitions."""

    time: datetime
    rows: list[Row]


class Progress(NamedTuple):
    """The plots of a task. ``is_cut``: there are more commits in the span than were read."""

    span: Span
    span_word: str
    lines: list[Line]
    line_count: int
    rates: Bars
    newest: list[Commit]
    is_cut: bool


def span_word(asked: Asked) -> str:
    """The length of time to show. Raises BadRequest."""
    word = asked.text("span") or DEFAULT_SPAN
    if word not in SPANS:
        raise BadRequest(f'Invalid value of "span": expected one of {", ".join(SPANS)}.')
    return word


def read_progress(connection: Connection, job: Job, task: str, until: datetime, word: str) -> Progress | None:
    """The progress of a task in the time before ``until``; None if it has no commit then."""
    since = until - SPANS[word][1]
    commits = _commits(connection, job, task, since, until)
    if not commits:
        return None
    span = Span(max(since, min(commit.time for commit in commits)), until)
    points = _points(commits)
    names = sorted(points, key=natural_order)
    lines = [draw_line(name, points[name], span) for name in names[:MOST_LINES]]
    rates = draw_rates([commit.time for commit in commits], span)
    return Progress(span, word, lines, len(names), rates, commits[:-11:-1], len(commits) >= MOST_COMMITS)


def _commits(connection: Connection, job: Job, task: str, since: datetime, until: datetime) -> list[Commit]:
    """Commits by their place in the log. Those without a time that a plot could show are left out."""
    history = History(
        "checkpoint_history",
        sql.Identifier("coordinator", "commit_history"),
        PARTITION,
        since=since,
        until=until,
        limit=MOST_COMMITS,
        equal={"task_name": task, "is_preferred": True},
    )
    rows = select_history(connection, job, history)
    events = groupby(rows, key=lambda row: (row["stream_kind"], row["incarnation"], row["log_offset"]))
    found = [list(group) for _, group in events]
    timed = [(as_datetime(group[0]["record_time"]), group) for group in found]
    return [Commit(time, group) for time, group in timed if time is not None]


def _points(commits: list[Commit]) -> dict[str, list[Point]]:
    points: dict[str, list[Point]] = {}
    for commit in commits:
        for row in commit.rows:
            if row["input_offset_number"] is not None:
                points.setdefault(input_partition(row), []).append((commit.time, row["input_offset_number"]))
    return points
