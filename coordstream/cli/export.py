"""`coordstream export`: write a stream as a recording, a relation as a Parquet file, or all events as a Delta table."""

import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from coordstream.cli.arguments import AsOf
from coordstream.cli.job_selection import find_log
from coordstream.cli.lakes import archive_in
from coordstream.database import open_database
from coordstream.errors import note, require_packages
from coordstream.queries.rows import Cut, outside
from eventlog.postgres.archive import read_archive
from eventlog.recording import encode_line, write_recording
from projections.job_choice import find_job
from projections.masked_events import MaskedEvents

STANDARD_OUTPUT: Final = Path("-")

app = typer.Typer()


@app.command()
def export(
    stream: Annotated[str | None, typer.Argument(metavar="STREAM", help="The stream's name.")] = None,
    relation: Annotated[
        str | None, typer.Option("--relation", metavar="NAME", help="Write this relation instead, as a Parquet file.")
    ] = None,
    lake: Annotated[
        str | None,
        typer.Option(
            "--lake",
            metavar="PATH",
            help="Add the events that this lake lacks instead: a path, or a URI such as s3://….",
        ),
    ] = None,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="A file, which is replaced. A recording is gzipped if the name ends in .gz; - is standard output.",
        ),
    ] = STANDARD_OUTPUT,
    raw: Annotated[bool, typer.Option("--raw", help="Include secrets: the exact bytes. Owner only.")] = False,
    job: Annotated[str | None, typer.Option("--job", metavar="JOB", help="With --relation: this job only.")] = None,
    as_of: AsOf = None,
) -> None:
    """Write a stream as a recording (JSON lines), a relation as Parquet, or all events as a Delta table.

    A recording has fingerprints in place of secrets unless --raw is used. A Parquet file has the types of the
    relation's columns. It shows one moment, and appears when it is complete. A lake is a Delta table with the original
    bytes of every event, secrets included: let nobody read it who may not read the archive. A run adds what is new, in
    one commit. Exit code 1 if a log is left out: it was not followed yet, must be rebuilt, or lost events to an earlier
    retention.

    Example: coordstream export --relation checkpoint --as-of yesterday --output checkpoint.parquet
    """
    if [stream, relation, lake].count(None) != 2:
        raise typer.BadParameter("Expected a stream, '--relation' or '--lake', and only one of them.")
    cut = Cut(as_of)
    if lake is not None:
        if raw or (job, cut, output) != (None, Cut(), STANDARD_OUTPUT):
            raise typer.BadParameter("'--lake' takes no other option.")
        with open_database() as database:
            archive_in(lake, database)
    elif stream is not None:
        if job is not None or cut != Cut():
            raise typer.BadParameter("'--job' and '--as-of' need '--relation'.")
        _export_stream(stream, output, raw=raw)
    elif relation is not None:
        if raw:
            raise typer.BadParameter("'--raw' cannot be used with '--relation'.")
        if output.suffix != ".parquet":
            raise typer.BadParameter("'--relation' needs '--output' with a name that ends in .parquet.")
        _export_relation(relation, job, cut, output)


def _export_stream(stream: str, output: Path, *, raw: bool) -> None:
    with open_database() as database:
        log = find_log(database.connection, stream)
        masked = None if raw else MaskedEvents(log.stream.stream_kind, database.secrets)
        # events that arrive during the export are left out
        events = read_archive(database.connection, log.log_id, until=log.next_offset)
        records = ((stream, event if masked is None else masked.mask(event)) for event in events)
        if output == STANDARD_OUTPUT:
            sys.stdout.buffer.writelines(encode_line(topic, event) for topic, event in records)
        else:
            count = write_recording(output, records)
            note(f"{count} events of {stream} written to {output}")


def _export_relation(relation: str, word: str | None, cut: Cut, output: Path) -> None:
    require_packages("pyarrow")
    from coordstream.cli.relation_export import export_relation  # noqa: PLC0415 (loads pyarrow)

    with open_database() as database:
        job = None if word is None else find_job(database.connection, word)
        count = export_relation(database.connection, relation, job, cut, output)
        note(f"{count} rows of {relation} written to {output}")
        note(outside(database.connection, job, cut))
