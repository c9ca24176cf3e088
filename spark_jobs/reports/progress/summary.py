"""The printed summary of checkpoint_progress."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from eventlog.errors import printable_text
from spark_jobs.reports.progress.rows import TaskProgress

WIDTH = 100


HEADINGS: Final = ("task", "commits", "advanced", "rewound", "newest commit", "median gap", "stalled")


def print_summary(console: Console, tasks: Sequence[TaskProgress], total: int, heading: str, as_of: datetime) -> None:
    """Print a line per task, and how many of `total` are not shown. Names are not interpreted as markup.

    Ages and stalls count to `as_of` (aware). If the output is not a terminal, cells are separated by tabs.
    """
    with_job = len({(task.job_name, task.job_id) for task in tasks}) > 1
    rows = [_cells(task, as_of, with_job=with_job) for task in tasks]
    if console.is_terminal:
        console.print(_table(rows, heading, min(console.width, WIDTH)))
    else:
        for line in ([heading], HEADINGS, *([cell.plain for cell in row] for row in rows)):
            print("\t".join(line), file=console.file)
    if total > len(tasks):
        console.print(
            Text(f"… and {total - len(tasks)} more tasks in the Parquet files (stalled tasks are shown first).")
        )


def _table(rows: Sequence[Sequence[Text]], heading: str, width: int) -> Table:
    table = Table(title=Text(heading), title_justify="left", width=width, box=None, padding=(0, 1, 0, 0))
    first, *numbers, last = HEADINGS
    table.add_column(first, overflow="fold", ratio=1, min_width=12)
    for column in numbers:
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column(last, no_wrap=True)
    for row in rows:
        table.add_row(*row)
    return table


def _cells(task: TaskProgress, as_of: datetime, *, with_job: bool) -> list[Text]:
    return [
        Text(printable_text(task.label(with_job=with_job))),
        Text(f"{task.commits:,}"),
        Text(_count(task.advanced)),
        Text(_count(task.rewound)),
        Text("?" if task.age is None else f"{format_span(task.age)} ago"),
        Text("" if task.median_gap is None else format_span(task.median_gap)),
        Text(_stall(task, as_of), style="bold red"),
    ]


def _stall(task: TaskProgress, as_of: datetime) -> str:
    if task.stall is None or task.stalled_since is None:
        return ""
    return f"{task.stall} {format_span((as_of - task.stalled_since).total_seconds())}"


def _count(number: int | None) -> str:
    return "?" if number is None else f"{number:,}"


def describe_untimed(commits: int) -> str:
    """How many commits have no usable time, and what that means."""
    have = "1 commit has" if commits == 1 else f"{commits:,} commits have"
    return (
        f"{have} no usable record time (missing, or outside the time range of the job's logs). "
        "The totals include them; buckets, ages, gaps and the picture do not."
    )


def format_span(seconds: float) -> str:
    """A duration in its two largest units (`12.3s`, `4m 05s`, `2h 10m`, `3d 04h`), negative after a clock change."""
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    if seconds < 59.95:
        return f"{sign}{seconds:.1f}s"
    whole = round(seconds)
    for size, unit, part, part_unit in ((86_400, "d", 3600, "h"), (3600, "h", 60, "m"), (60, "m", 1, "s")):
        if whole >= size:
            return f"{sign}{whole // size}{unit} {whole % size // part:02d}{part_unit}"
    return f"{sign}{whole}s"
