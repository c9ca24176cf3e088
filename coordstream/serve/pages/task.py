"""The page of a task: its partitions, its progress, and why it would start where it does.

Plots are inline SVG in a box of `WIDTH` by `HEIGHT`, which the page stretches to the width it has. Labels stand beside
the box, so that they keep their size on a narrow screen.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Final, NamedTuple

from psycopg import sql

from coordstream.queries.explain import event, explain_task, explained
from coordstream.queries.history import History, select_history
from coordstream.queries.rows import PARTITION, Row, input_partition
from coordstream.queries.tasks import start, task_partitions, task_rows
from coordstream.serve.application import Refused
from coordstream.serve.pages.asked import Asked, page_of
from coordstream.serve.pages.job import job_head
from coordstream.times import as_datetime
from eventlog.errors import known_names, printable_text
from eventlog.partition import natural_order
from eventlog.postgres.connection import Connection
from projections.job_choice import Job

PAGE_ROWS: Final = 50
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
WIDTH: Final = 1_000
HEIGHT: Final = 100
MOST_POINTS: Final = 400
_MARGIN: Final = 4
"""Above and below a line, so that its ends are not cut off."""

Point = tuple[datetime, int]
Commit = tuple[datetime, list[Row]]
"""A checkpoint that the job would have read: its time, and the rows of its partitions."""


class Span(NamedTuple):
    """The times that a plot shows."""

    first: datetime
    last: datetime

    def x(self, time: datetime) -> float:
        """The place of a time in the box; the right edge if the span has no length."""
        length = (self.last - self.first).total_seconds()
        return round((time - self.first).total_seconds() / length * WIDTH, 1) if length else float(WIDTH)


class Line(NamedTuple):
    """Numbers over time. ``points`` is the attribute of a polyline; ``low`` and ``high`` are its ends."""

    title: str
    points: str
    low: int
    high: int
    newest: int


def task_page(connection: Connection, asked: Asked) -> Row:
    job, head = job_head(connection, asked)
    name = asked.required("task")
    rows = task_rows(connection, job, asked.cut)
    names = sorted((row["task_name"] for row in rows), key=natural_order)
    if name not in names:
        known = known_names("tasks", name, names)
        raise Refused(head["early"] or f'Job {job}{asked.cut} has no task "{printable_text(name)}".{known}', 404)
    (task,) = (row for row in rows if row["task_name"] == name)
    partitions = task_partitions(connection, job, name, asked.cut)
    place = names.index(name)
    return head | {
        "task": task,
        "previous": names[place - 1] if place else None,
        "next": names[place + 1] if place + 1 < len(names) else None,
        "page": page_of(partitions, asked.page_number, PAGE_ROWS),
        "start": start,
        "spans": SPANS,
        "span": span_word(asked),
        "progress": _progress(connection, job, task, asked),
        "explained": explained(explain_task(connection, job, name, asked.cut.time)),
        "event": event,
    }


def _progress(connection: Connection, job: Job, task: Row, asked: Asked) -> Row | None:
    """The plots of the time before the as-of time, else before the last commit; None if there is no commit then."""
    until = asked.cut.time or as_datetime(task["checkpoint_time"])
    if until is None:
        return None
    since = until - SPANS[span_word(asked)][1]
    commits = _commits(connection, job, task["task_name"], since, until)
    if not commits:
        return None
    span = Span(max(since, min(time for time, _ in commits)), until)
    points = _points(commits)
    names = sorted(points, key=natural_order)
    return {
        "span": span,
        "lines": [draw_line(name, points[name], span) for name in names[:MOST_LINES]],
        "line_count": len(names),
        "commit_count": len(commits),
        "newest": [of_commit for _, of_commit in commits[:-11:-1]],
        "is_cut": len(commits) >= MOST_COMMITS,
    }


def span_word(asked: Asked) -> str:
    """The length of time to show. Raises Refused."""
    return asked.choice("span", SPANS) or DEFAULT_SPAN


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
    return [(time, group) for time, group in timed if time is not None]


def _points(commits: list[Commit]) -> dict[str, list[Point]]:
    points: dict[str, list[Point]] = {}
    for time, rows in commits:
        for row in rows:
            if row["input_offset_number"] is not None:
                points.setdefault(input_partition(row), []).append((time, row["input_offset_number"]))
    return points


def draw_line(title: str, points: Sequence[Point], span: Span) -> Line:
    """A line through at least one point, oldest first. Of points that would stand close together, the last is kept."""
    numbers = [number for _, number in points]
    low, high = min(numbers), max(numbers)
    bins = {int(span.x(time) * MOST_POINTS / WIDTH): (time, number) for time, number in points}
    kept = dict.fromkeys([points[0], *bins.values()])
    text = " ".join(f"{span.x(time):g},{_y(number, low, high):g}" for time, number in kept)
    return Line(title, text, low, high, numbers[-1])


def _y(number: int, low: int, high: int) -> float:
    share = (number - low) / (high - low) if high > low else 0.5
    return round(HEIGHT - _MARGIN - share * (HEIGHT - 2 * _MARGIN), 1)
