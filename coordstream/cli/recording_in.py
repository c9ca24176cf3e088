"""`coordstream import`: recordings into the database."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from coordstream.cli.database import Database, open_database
from coordstream.cli.options import Json, Kind
from coordstream.cli.tables import print_json
from coordstream.errors import CoordstreamError
from eventlog.events import RecordedEvent
from eventlog.recording import TopicSummary, read_recording, validate
from eventlog.streams import StreamIdentity, identify
from projections.fold.settings import FoldSettings
from projections.projector import BATCH_EVENTS
from projections.recording_import import Imported, import_stream

PROGRESS_AFTER_SECONDS: Final = 1.0

app = typer.Typer()

Contents = Mapping[Path, Mapping[str, TopicSummary]]


@dataclass(frozen=True)
class Part:
    """A stream as it stands in one or more files, in the order of its offsets."""

    stream: StreamIdentity
    files: tuple[Path, ...]
    count: int

    def events(self) -> Iterator[RecordedEvent]:
        """The stream's events, read from the files anew."""
        for file in self.files:
            yield from (event for topic, event in read_recording(file) if topic == self.stream.stream_name)


@app.command("import")
def import_files(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Recordings; each may hold several topics.")],
    kind: Kind = None,
    as_json: Json = False,
) -> None:
    """Take recordings into the database. All are checked first: if one is bad, nothing is written."""
    parts = checked_parts(files, kind)
    with open_database() as database:
        imported = import_parts(database, parts)
    if as_json:
        print_json([_described(result) for result in imported])
        return
    for result in imported:
        print(told(result))


def checked_parts(files: Sequence[Path], kind: str | None) -> list[Part]:
    """Read all files to their ends and say which streams are in them.

    Raises:
        EventLogError: a line is bad, or a topic is of no known kind.
        CoordstreamError: a file can't be read twice, or holds nothing, or two files overlap.
    """
    contents: dict[Path, Mapping[str, TopicSummary]] = {}
    for file in files:
        if file in contents:
            raise CoordstreamError(f"{file} is named twice: name it once.")
        contents[file] = _checked(file)
    topics = dict.fromkeys(topic for summaries in contents.values() for topic in summaries)
    return [_part(topic, kind, contents) for topic in topics]


def import_parts(
    database: Database,
    parts: Sequence[Part],
    *,
    batch_events: int = BATCH_EVENTS,
    progress_after: float | None = None,
) -> list[Imported]:
    """Import streams one after the other; a bar on standard error shows how far it is, if it takes long."""
    settings = FoldSettings(database.secrets)
    imported = []
    for part in parts:
        with progress_bar(part, PROGRESS_AFTER_SECONDS if progress_after is None else progress_after) as advance:
            result = import_stream(
                database.connection,
                part.stream,
                part.events,
                settings,
                lambda: datetime.now(UTC),
                batch_events=batch_events,
                on_progress=advance,
            )
        imported.append(result)
    return imported


@contextmanager
def progress_bar(part: Part, after_seconds: float) -> Iterator[Callable[[int], None]]:
    """A function that is told how many more events are done; the bar appears after some seconds."""
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    progress = Progress(*columns, console=Console(stderr=True))
    bar = progress.add_task(part.stream.stream_name, total=part.count)
    began = monotonic()

    def advance(events: int) -> None:
        progress.advance(bar, events)
        if monotonic() - began >= after_seconds:
            progress.start()

    try:
        yield advance
    finally:
        if progress.live.is_started:
            progress.stop()


def _checked(file: Path) -> Mapping[str, TopicSummary]:
    if file.exists() and not file.is_file() and not file.is_dir():
        raise CoordstreamError(f"{file} is no regular file and could be read only once: write it to a file first.")
    with Console(stderr=True).status(f"Checking {file}") if file.is_file() else _nothing():
        summaries = validate(file)
    if not summaries:
        raise CoordstreamError(f"{file} holds no record: record the topic again, or leave the file out.")
    return summaries


@contextmanager
def _nothing() -> Iterator[None]:
    yield


def _part(topic: str, kind: str | None, contents: Contents) -> Part:
    stream = identify(topic, kind)
    files = tuple(file for file, summaries in contents.items() if topic in summaries)
    for earlier, later in pairwise(files):
        if contents[later][topic].first_offset <= contents[earlier][topic].last_offset:
            raise CoordstreamError(
                f"{later} holds offsets of {topic} that do not come after those of {earlier}: "
                "name the files in the order of their offsets, or import one of them alone."
            )
    return Part(stream, files, sum(contents[file][topic].count for file in files))


def _described(result: Imported) -> dict[str, object]:
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
