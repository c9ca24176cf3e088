"""`coordstream import`: recordings into the database."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from coordstream.cli.arguments.options import Csv, Json, Kind
from coordstream.cli.database import Database, open_database
from coordstream.cli.output.formats import print_list
from coordstream.cli.query.rows import Row
from coordstream.errors import CoordstreamError
from coordstream.recording_part import Part
from eventlog.log import system_clock
from eventlog.recordings.checked_recording import CheckedRecording, check_recording
from eventlog.recordings.line_spool import LineSpool
from eventlog.streams import StreamIdentity, identify
from projections.fold.settings import FoldSettings
from projections.import_worker import ImportJob
from projections.parallel_import import OnStreamProgress, import_streams
from projections.projector import BATCH_EVENTS
from projections.recording_import import Imported, import_stream

PROGRESS_AFTER_SECONDS: Final = 1.0
MOST_PROCESSES: Final = 8
"""Each has a connection and a process of the server's beside it."""

EVENTS_WORTH_A_PROCESS: Final = 50_000
"""A process takes half a second to start, in which another one imports nearly so many."""

MOST_BARS: Final = 12

app = typer.Typer()


@app.command("import")
def import_files(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Recordings; each may hold several topics.")],
    kind: Kind = None,
    processes: Annotated[
        int | None,
        typer.Option("--processes", min=1, help="So many streams at once; unless given, one a core if that pays."),
    ] = None,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Take recordings into the database. All are checked first: if one is bad, nothing is written."""
    with checked_parts(files, kind) as parts, open_database() as database:
        imported = import_parts(database, parts, processes=processes)
    if as_json or as_csv:
        print_list([_described(result) for result in imported], as_csv=as_csv)
        return
    for result in imported:
        print(told(result))


@contextmanager
def checked_parts(files: Sequence[Path], kind: str | None) -> Iterator[list[Part]]:
    """Read all files to their ends, once, and say which streams are in them.

    Raises:
        EventLogError: a line is bad, or a topic is of no known kind.
        CoordstreamError: a file can't be read twice, or holds nothing, or two files overlap.
    """
    recordings: dict[Path, CheckedRecording] = {}
    with LineSpool() as spool:
        for file in files:
            if file in recordings:
                raise CoordstreamError(f"{file} is named twice: name it once.")
            recordings[file] = _checked(file, spool)
        by_topic: dict[str, list[CheckedRecording]] = {}
        for recording in recordings.values():
            for topic in recording.summaries:
                by_topic.setdefault(topic, []).append(recording)
        yield [_part(topic, kind, found) for topic, found in by_topic.items()]


def import_parts(
    database: Database,
    parts: Sequence[Part],
    *,
    processes: int | None = None,
    batch_events: int = BATCH_EVENTS,
    progress_after: float | None = None,
) -> list[Imported]:
    """Import streams, several at once where that pays; bars on standard error show how far each is, if it takes long.

    Streams of one process go one after the other. Raises as `import_streams` does.
    """
    jobs = [ImportJob(part.stream, part.events, part.count) for part in parts]
    settings, at_once = FoldSettings(database.secrets), processes or paying_processes(jobs)
    with progress_bars(jobs, PROGRESS_AFTER_SECONDS if progress_after is None else progress_after) as advance:
        if min(at_once, len(jobs)) > 1:
            return import_streams(database.url, jobs, settings, at_once, batch_events=batch_events, on_progress=advance)
        return [
            import_stream(
                database.connection,
                job.stream,
                job.read_events,
                settings,
                system_clock,
                batch_events=batch_events,
                on_progress=partial(advance, job.stream),
            )
            for job in jobs
        ]


def paying_processes(jobs: Sequence[ImportJob]) -> int:
    """One a core, if what they could take beside the largest stream is worth their start."""
    counts = sorted(job.events for job in jobs)
    return min(usable_cores(), MOST_PROCESSES) if sum(counts[:-1]) >= EVENTS_WORTH_A_PROCESS else 1


def usable_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def progress_bars(jobs: Sequence[ImportJob], after_seconds: float) -> Iterator[OnStreamProgress]:
    """A function that is told how many more events of a stream are done; the bars appear after some seconds,
    on a terminal only: a log would hold them for no one.

    Each stream has its own, or all have one where a terminal could not show so many.
    """
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    progress = Progress(*columns, console=Console(stderr=True))
    bars = _bars(progress, jobs)
    began = monotonic()

    def advance(stream: StreamIdentity, events: int) -> None:
        bar = bars[stream]
        progress.start_task(bar)
        progress.update(bar, advance=events, visible=True)
        if progress.console.is_terminal and monotonic() - began >= after_seconds:
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


def _checked(file: Path, spool: LineSpool) -> CheckedRecording:
    if file.exists() and not file.is_file() and not file.is_dir():
        raise CoordstreamError(f"{file} is no regular file and could be read only once: write it to a file first.")
    with Console(stderr=True).status(f"Checking {file}") if file.is_file() else nullcontext():
        recording = check_recording(file, spool)
    if not recording.summaries:
        raise CoordstreamError(f"{file} holds no record: record the topic again, or leave the file out.")
    return recording


def _part(topic: str, kind: str | None, recordings: Sequence[CheckedRecording]) -> Part:
    stream = identify(topic, kind)
    for earlier, later in pairwise(recordings):
        if later.summaries[topic].first_offset <= earlier.summaries[topic].last_offset:
            raise CoordstreamError(
                f"{later.path} holds offsets of {topic} that do not come after those of {earlier.path}: "
                "name the files in the order of their offsets, or import one of them alone."
            )
    return Part(stream, tuple(recordings), sum(recording.summaries[topic].count for recording in recordings))


def _described(result: Imported) -> Row:
    stream = result.stream
    counts = {"added": result.added, "skipped": result.skipped, "quarantined": result.quarantined}
    names = {"stream_name": stream.stream_name, "stream_kind": stream.stream_kind}
    return {**names, "incarnation": result.incarnation, **counts}


def told(result: Imported) -> str:
    """What an import did, on a line."""
    quarantined = f", {result.quarantined} of them in quarantine" if result.quarantined else ""
    return (
        f"{result.stream.stream_name}: {result.added} events new{quarantined}, {result.skipped} there already "
        f"({result.stream.stream_kind}, incarnation {result.incarnation})"
    )
