"""`coordstream import`: import recordings into the database."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from coordstream.cli.arguments import Json, Kind, count_option
from coordstream.cli.lakes import restore
from coordstream.cli.output import print_json
from coordstream.database import Database, open_database
from coordstream.errors import CoordstreamError
from coordstream.queries.rows import Row
from eventlog.errors import printable_text
from eventlog.log import system_clock
from eventlog.recording_spool import CheckedRecording, LineSpool, check_recording, events_of
from eventlog.streams import identify
from projections.fold.settings import FoldSettings
from projections.log_result import LogResult
from projections.parallel_import import ImportJob, OnStreamProgress, import_streams
from projections.planner_statistics import finish_imports
from projections.recording_import import import_stream
from spark_jobs.place import is_lake

MOST_PROCESSES: Final = 8
"""Each process of ours has a connection, with a process of the server."""

EVENTS_WORTH_A_PROCESS: Final = 50_000
"""A process takes half a second to start. Another process imports nearly this many events meanwhile."""

app = typer.Typer()


@app.command("import")
def import_files(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE", help="Recordings, each of one or more topics, or one lake.")
    ],
    kind: Kind = None,
    processes: Annotated[
        int | None,
        count_option("--processes", help="Streams to import in parallel (default: one per core when worthwhile)."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Import recordings (JSON lines, gzipped or not). If one of them is invalid, nothing is written.

    A lake's logs are restored as they were at its last run, each as a whole.

    Example: coordstream import coordinator.jsonl.gz checkpoint.jsonl.gz
    """
    if len(files) == 1 and is_lake(files[0]):
        with open_database() as database:
            imported = restore(files[0], database)
            finish_imports(database.connection, sum(result.added for result in imported))
    else:
        with check_files(list(map(Path, files)), kind) as jobs, open_database() as database:
            imported = import_jobs(database, jobs, processes=processes)
    if as_json:
        print_json([_result_row(result) for result in imported])
        return
    for result in imported:
        print(describe_import(result))


@contextmanager
def check_files(files: Sequence[Path], kind: str | None) -> Iterator[list[ImportJob]]:
    """Read all files once, to their ends, and return the streams in them.

    Raises `EventLogError`: a line is invalid, or the kind of a topic is unknown; `CoordstreamError`: a file is not a
    regular file or is empty, or two files overlap.
    """
    by_topic: dict[str, list[CheckedRecording]] = {}
    with LineSpool() as spool:
        for file in files:
            recording = _check(file, spool)
            for topic in recording.summaries:
                by_topic.setdefault(topic, []).append(recording)
        yield [_import_job(topic, kind, found) for topic, found in by_topic.items()]


def import_jobs(database: Database, jobs: Sequence[ImportJob], *, processes: int | None = None) -> list[LogResult]:
    """Import streams, in parallel when worthwhile, with a progress bar on standard error.

    ``processes`` 1: one stream after the other. At the end, everything is on disk. Raises the errors of
    `import_streams`.
    """
    settings, at_once = FoldSettings(database.secrets), processes or default_processes(jobs)
    with _progress_bar(jobs) as advance:
        if min(at_once, len(jobs)) > 1:
            imported = import_streams(database.url, jobs, settings, at_once, on_progress=advance)
        else:
            imported = [
                import_stream(
                    database.connection,
                    job.stream,
                    job.read_events,
                    settings,
                    system_clock,
                    on_progress=partial(advance, job.stream),
                )
                for job in jobs
            ]
    finish_imports(database.connection, sum(result.added for result in imported))
    return imported


def default_processes(jobs: Sequence[ImportJob]) -> int:
    """One per core, if the streams beside the largest one have enough events to be worth starting processes."""
    counts = sorted(job.events for job in jobs)
    return min(usable_cores(), MOST_PROCESSES) if sum(counts[:-1]) >= EVENTS_WORTH_A_PROCESS else 1


def usable_cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _check(file: Path, spool: LineSpool) -> CheckedRecording:
    if file.exists() and not file.is_file() and not file.is_dir():
        raise CoordstreamError(f"'{file}' is not a regular file, and it is read twice. Write it to a file first.")
    with Console(stderr=True).status(f"Checking {file}") if file.is_file() else nullcontext():
        recording = check_recording(file, spool)
    if not recording.summaries:
        raise CoordstreamError(f"File '{file}' has no records. Leave it out, or record the topic again.")
    return recording


def _import_job(topic: str, kind: str | None, recordings: Sequence[CheckedRecording]) -> ImportJob:
    stream = identify(topic, kind)
    for earlier, later in pairwise(recordings):
        if later.summaries[topic].first_offset <= earlier.summaries[topic].last_offset:
            raise CoordstreamError(
                f"File '{later.path}' has offsets of {topic} that do not come after those of '{earlier.path}'. "
                "Name the files in the order of their offsets, or import one of them alone."
            )
    count = sum(recording.summaries[topic].count for recording in recordings)
    return ImportJob(stream, partial(events_of, topic, tuple(recordings)), count)


def _result_row(result: LogResult) -> Row:
    stream = result.stream
    counts = {"added": result.added, "skipped": result.skipped, "quarantined": result.quarantined}
    names = {"stream_name": stream.stream_name, "stream_kind": stream.stream_kind}
    return {**names, "incarnation": result.incarnation, **counts}


def describe_import(result: LogResult) -> str:
    """What an import did, as a line."""
    quarantined = f", {result.quarantined} of them in quarantine" if result.quarantined else ""
    name = printable_text(result.stream.stream_name)
    return (
        f"{name}: {result.added} new events{quarantined}, {result.skipped} already present "
        f"({result.stream.stream_kind}, incarnation {result.incarnation})"
    )


@contextmanager
def _progress_bar(jobs: Sequence[ImportJob]) -> Iterator[OnStreamProgress]:
    """A function that counts events of a stream, in a bar on a terminal's standard error."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda *_: None
        return
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("events"), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("", total=sum(job.events for job in jobs))
        yield lambda _, events: progress.advance(bar, events)
