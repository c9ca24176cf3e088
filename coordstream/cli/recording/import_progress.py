"""The progress bars of an import on standard error."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from eventlog.streams import StreamIdentity
from projections.parallel_import import ImportJob, OnStreamProgress

PROGRESS_AFTER_SECONDS: Final = 1.0
MOST_BARS: Final = 12


@contextmanager
def progress_bars(jobs: Sequence[ImportJob], after_seconds: float | None = None) -> Iterator[OnStreamProgress]:
    """A function that advances a stream's bar by a number of events.

    The bars appear on a terminal only, after ``after_seconds`` (None: `PROGRESS_AFTER_SECONDS`). More than `MOST_BARS`
    streams share one bar.
    """
    delay = PROGRESS_AFTER_SECONDS if after_seconds is None else after_seconds
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    progress = Progress(*columns, console=Console(stderr=True))
    bars = _bars(progress, jobs)
    began = monotonic()

    def advance(stream: StreamIdentity, events: int) -> None:
        bar = bars[stream]
        progress.start_task(bar)
        progress.update(bar, advance=events, visible=True)
        if progress.console.is_terminal and monotonic() - began >= delay:
            progress.start()

    try:
        yield advance
    finally:
        if progress.live.is_started:
            progress.stop()


def _bars(progress: Progress, jobs: Sequence[ImportJob]) -> dict[StreamIdentity, TaskID]:
    if len(jobs) > MOST_BARS:
        events = sum(job.events for job in jobs)
        bar = progress.add_task(f"{len(jobs)} streams", total=events, start=False, visible=False)
        return {job.stream: bar for job in jobs}
    return {
        job.stream: progress.add_task(job.stream.stream_name, total=job.events, start=False, visible=False)
        for job in jobs
    }
