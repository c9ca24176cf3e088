"""`coordstream import`: import recordings into the database."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from coordstream.cli.arguments import STANDARD_INPUT, Json, Kind
from coordstream.cli.lakes import restore
from coordstream.cli.output import fail_if, print_json
from coordstream.database import Database, open_database
from coordstream.errors import CoordstreamError
from coordstream.queries.rows import Row
from eventlog.errors import StreamKindError, printable_text
from eventlog.log import system_clock
from eventlog.recording_spool import CheckedRecording, LineSpool, check_recording, files_by_topic
from eventlog.streams import StreamIdentity, identify
from projections.errors import ProjectionError
from projections.fold.settings import FoldSettings
from projections.log_result import LogResult
from projections.planner_statistics import finish_imports
from projections.recording_import import ReadEvents, import_stream
from spark_jobs.place import is_lake

app = typer.Typer()


@dataclass(frozen=True)
class CheckedStream:
    """A stream to import: ``read_events`` as in `import_stream`, and the number of its events."""

    stream: StreamIdentity
    read_events: ReadEvents
    events: int


@app.command("import")
def import_files(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE", help="Recordings, each of one or more topics, or one lake.")
    ],
    kind: Kind = None,
    as_json: Json = False,
) -> None:
    """Import recordings (JSON lines, gzipped or not). If one of them is invalid, nothing is written.

    Each log of a lake is restored as of the lake's last run, or not at all. Exit code 1 if a log cannot be imported;
    the others are.

    Example: coordstream import coordinator.jsonl.gz checkpoint.jsonl.gz
    """
    if len(files) == 1 and is_lake(files[0]):
        with open_database(lifts_timeouts=True) as database:
            imported, failures = restore(files[0], database)
    else:
        with check_files(list(map(Path, files)), kind) as streams, open_database(lifts_timeouts=True) as database:
            imported, failures = import_checked(database, streams)
    if as_json:
        print_json([_result_row(result) for result in imported])
    else:
        for result in imported:
            print(describe_import(result))
    fail_if(failures)


@contextmanager
def check_files(files: Sequence[Path], kind: str | None) -> Iterator[list[CheckedStream]]:
    """Read all files once, to their ends, and return the streams in them.

    Raises `EventLogError`: a line is invalid, or the kind of a topic is unknown, or as `files_by_topic`;
    `CoordstreamError`: a file is not a regular file.
    """
    with LineSpool() as spool:
        recordings = [_check(file, spool) for file in files]
        by_path = {each.path: each for each in recordings}
        by_topic = files_by_topic((each.path, each.summaries) for each in recordings)
        yield [_stream(topic, kind, [by_path[path] for path, _ in found]) for topic, found in by_topic.items()]


def import_checked(database: Database, streams: Sequence[CheckedStream]) -> tuple[list[LogResult], list[str]]:
    """Import one stream after the other, with a progress bar on standard error; and a sentence for each that cannot be.

    At the end, everything is on disk.
    """
    settings, imported, failures = FoldSettings(database.secrets), list[LogResult](), list[str]()
    with _progress_bar(sum(each.events for each in streams)) as advance:
        for each in streams:
            take = partial(import_stream, database.connection, each.stream, each.read_events, settings, system_clock)
            try:
                imported.append(take(on_progress=advance))
            except (ProjectionError, StreamKindError) as error:
                failures.append(str(error))
    finish_imports(database.connection, sum(result.added for result in imported))
    return imported, failures


def _check(file: Path, spool: LineSpool) -> CheckedRecording:
    if (file.exists() or str(file) == STANDARD_INPUT) and not file.is_file() and not file.is_dir():
        raise CoordstreamError(f"'{file}' is not a regular file, and an import reads twice. Save it as a file first.")
    with Console(stderr=True).status(f"Checking {file}") if file.is_file() else nullcontext():
        return check_recording(file, spool)


def _stream(topic: str, kind: str | None, recordings: Sequence[CheckedRecording]) -> CheckedStream:
    count = sum(recording.summaries[topic].count for recording in recordings)
    return CheckedStream(
        identify(topic, kind), lambda: chain.from_iterable(each.events(topic) for each in recordings), count
    )


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
def _progress_bar(total: int) -> Iterator[Callable[[int], None]]:
    """A function that counts events, in a bar on a terminal's standard error."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _: None
        return
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("events"), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("", total=total)
        yield lambda events: progress.advance(bar, events)
