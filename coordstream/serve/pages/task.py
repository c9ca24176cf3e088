"""The page of a task: its partitions, its progress, and why it would start where it does."""

from itertools import groupby
from operator import itemgetter
from typing import Final

from coordstream.errors import CoordstreamError
from coordstream.queries.cut import Cut
from coordstream.queries.explain import STEPS, conclusion, event
from coordstream.queries.rows import PARTITION, Row, fetch, job_values
from coordstream.queries.tasks import start, task_named, task_partitions, task_relations, task_rows
from coordstream.serve.failures import NotFound
from coordstream.serve.pages.asked import Asked
from coordstream.serve.pages.job import job_head
from coordstream.serve.pages.paging import page_of
from coordstream.serve.pages.progress import SPANS, Progress, read_progress, span_word
from coordstream.times import as_datetime
from eventlog.partition import natural_order
from eventlog.postgres.connection import Connection
from projections.job_choice import Job

PAGE_ROWS: Final = 50


def task_page(connection: Connection, asked: Asked) -> Row:
    """A task of a job."""
    job, head = job_head(connection, asked)
    name = asked.required("task")
    relations = task_relations(connection, job, asked.cut)
    rows = task_rows(relations)
    task = _find_task(rows, name, f"{job}{asked.cut}", head["early"])
    partitions = task_partitions(connection, job, name, asked.cut, relations)
    names = sorted((row["task_name"] for row in rows), key=natural_order)
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
        "explained": _explain(connection, job, name, asked.cut),
        "event": event,
    }


def _find_task(rows: list[Row], name: str, job: str, early: str) -> Row:
    try:
        return task_named(rows, name, job, early)
    except CoordstreamError as error:
        raise NotFound(str(error)) from None


def _progress(connection: Connection, job: Job, task: Row, asked: Asked) -> Progress | None:
    """The progress until the as-of time, else until the last commit."""
    until = asked.cut.time or as_datetime(task["checkpoint_time"])
    return None if until is None else read_progress(connection, job, task["task_name"], until, span_word(asked))


def _explain(connection: Connection, job: Job, task: str, cut: Cut) -> list[tuple[str, list[Row]]]:
    """For each input partition of a task: where it starts, as a sentence, and the steps of that decision."""
    rows = fetch(connection, STEPS, {**job_values(job), "task": task, "at": cut.time})
    partitions = [list(steps) for _, steps in groupby(rows, key=itemgetter(*PARTITION))]
    return [(conclusion(steps), steps) for steps in partitions]
