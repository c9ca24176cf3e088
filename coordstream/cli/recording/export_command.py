"""`coordstream export`: write a stream of the database as a recording."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

import typer

from coordstream.cli.arguments.options import Stream
from coordstream.cli.database import Database, open_database
from coordstream.cli.log.find import find_log
from eventlog.events import RecordedEvent
from eventlog.postgres.archive import read_archive
from eventlog.recordings.recording import write_recording
from eventlog.recordings.recording_line import encode_line
from eventlog.secrets.masked_event import mask_event
from projections.tracked_logs import TrackedLog

STANDARD_OUTPUT: Final = Path("-")

app = typer.Typer()


@app.command()
def export(
    stream: Stream,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", help="A file, gzipped if its name ends in .gz. - is standard output."
        ),
    ] = STANDARD_OUTPUT,
    raw: Annotated[bool, typer.Option("--raw", help="Include secrets: the exact bytes. Owner only.")] = False,
    incarnation: Annotated[int | None, typer.Option(min=1, help="Instead of the current one.")] = None,
) -> None:
    """Write a stream as a recording (JSON lines), with fingerprints in place of secrets unless --raw is used."""
    with open_database() as database:
        log = find_log(database.connection, stream, incarnation)
        records = _records(database, log, raw=raw)
        if output == STANDARD_OUTPUT:
            sys.stdout.buffer.writelines(encode_line(topic, event) for topic, event in records)
        else:
            count = write_recording(output, records)
            print(f"{count} events of {stream} written to {output}", file=sys.stderr)


def _records(database: Database, log: TrackedLog, *, raw: bool) -> Iterator[tuple[str, RecordedEvent]]:
    """The events below the current position. Events that arrive during the export are left out."""
    secrets = None if raw else database.secrets
    for event in read_archive(database.connection, log.log_id, until=log.next_offset):
        yield log.stream.stream_name, event if secrets is None else mask_event(event, secrets)
