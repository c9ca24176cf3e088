"""`coordstream verify` compares the relations' tables with the log; `coordstream rebuild` replaces what differs."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Annotated, Final

import typer

from coordstream.cli.arguments import Against, Json
from coordstream.cli.job_selection import LOG_NAMES, All, JobLog, Jobs, require_selection, selected_logs, work_on_logs
from coordstream.cli.lakes import rebuild_from, runner, verify_lake
from coordstream.cli.output import Column, fail_if, print_rows, print_text
from coordstream.database import open_database
from coordstream.queries.rows import printable, rows_of
from projections.fold.settings import FoldSettings
from projections.log_result import LogResult
from projections.rebuild import rebuild_log
from projections.table_differences import TableCheck, Values
from projections.tracked_logs import TRACKED_BACKENDS, mark_for_rebuild
from projections.verify import Verification, verify_log
from spark_jobs.place import ARCHIVE

app = typer.Typer()

_LOG: Final = (Column("stream", "stream_name", no_wrap=True), Column("inc.", "incarnation", "right", drop=2))
_DIFFERENCES: Final = tuple(Column(kind, kind, "right") for kind in ("missing", "extra", "different"))
COLUMNS: Final = (*_LOG, Column("relation", "relation", no_wrap=True), *_DIFFERENCES)
_ROW: Final = (
    *(*LOG_NAMES, "next_offset", "event_count"),
    *("relation", "missing", "extra", "different", "examples"),
)


@app.command()
def verify(
    jobs: Jobs = None,
    every: All = False,
    against: Against = ARCHIVE,
    as_json: Json = False,
) -> None:
    """Compare the relations' tables with the events in the archive.

    Folds each log again into temporary tables, and names rows that are missing, extra or different.
    With a lake's path, reads the lake to its end instead, and compares it with the archive. A follower may run
    meanwhile. Exit code 1 if anything differs or a log cannot be verified.

    Example: coordstream verify --all
    """
    require_selection(jobs, every=every)
    with open_database() as database:
        logs = selected_logs(database.connection, jobs or [])
        if against != ARCHIVE:
            verify_lake(against, logs, runner(database), as_json=as_json)
            return
        settings = FoldSettings(database.secrets)
        results = work_on_logs(
            logs, "verify", lambda log, show: verify_log(database.connection, log, settings, on_progress=show)
        )
    print_verifications(logs, results, as_json=as_json)


def print_verifications(logs: Sequence[JobLog], results: Sequence[Verification | str], *, as_json: bool) -> None:
    """Print what was found in each log, or why it could not be verified; exit code 1 if anything differs or failed."""
    found = [(each, result) for each, result in zip(logs, results, strict=True) if isinstance(result, Verification)]
    rows = rows_of(_ROW, (row for each, result in found for row in _rows(each, result, shows_all=as_json)))
    print_rows(rows, COLUMNS, title="Tables compared with the log", as_json=as_json)
    if not as_json:
        _print_examples(result for _, result in found)
    failures = [result for result in results if isinstance(result, str)]
    fail_if(failures)
    if not all(result.is_equal for _, result in found):
        raise typer.Exit(1)


def _rows(each: JobLog, found: Verification, *, shows_all: bool) -> Iterator[tuple[object, ...]]:
    """One row for each table. For people, the equal tables of a log have one row together."""
    tables = found.tables if shows_all else [table for table in found.tables if not table.is_equal]
    for table in tables or [TableCheck("(all equal)")]:
        examples = [asdict(example) for example in table.examples]
        counts = (table.missing, table.extra, table.different)
        yield (*each.names, found.log.next_offset, found.events, table.table, *counts, examples)


def _print_examples(results: Iterable[Verification]) -> None:
    for result in results:
        for table in result.tables:
            for example in table.examples:
                key = ", ".join(f"{name} {value}" for name, value in example.key.items()) or "row"
                print_text(f"{result.log.stream.stream_name}, {table.table}, {key}: {example.kind}")
                print_text(f"  stored:   {_text(example.stored)}")
                print_text(f"  expected: {_text(example.expected)}")


def _text(values: Values | None) -> str:
    return "no row" if values is None else printable(json.dumps(values, ensure_ascii=False), 2_000)


REBUILT_COLUMNS: Final = (
    *_LOG,
    Column("events", "event_count", "right"),
    Column("fetched", "fetched_count", "right", drop=1),
    *_DIFFERENCES,
)
_REBUILT: Final = (*LOG_NAMES, "event_count", "fetched_count", "missing", "extra", "different")


@app.command()
def rebuild(
    jobs: Jobs = None,
    every: All = False,
    origin: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="archive|PATH",
            help="A path: first fetch events that the archive lacks from this lake.",
        ),
    ] = ARCHIVE,
    as_json: Json = False,
) -> None:
    """Rebuild the relations' tables from the archived events.

    Folds each log again and replaces the rows that are missing, extra or different, in one transaction per log:
    readers see the old rows or the new ones. A follower may run meanwhile. Use it after damage, after an upgrade that
    asks for it, and when the tables were dropped. With a lake's path, events that the archive lacks are fetched from
    the lake first, also those that a retention has detached: all times since the first event are answered again.
    Archived events never change. Exit code 1 if a log cannot be rebuilt, or if archived events differ from those of the
    lake.

    Example: coordstream rebuild wordcount
    """
    require_selection(jobs, every=every)
    with open_database(warns=False, lifts_timeouts=True) as database:
        settings = FoldSettings(database.secrets)
        with database.connection.transaction():  # an unknown job means that nothing is marked
            mark_for_rebuild(database.connection, TRACKED_BACKENDS)
            logs = selected_logs(database.connection, jobs or [])
        if origin != ARCHIVE:
            results = rebuild_from(origin, logs, database)
        else:
            results = work_on_logs(
                logs, "rebuild", lambda log, show: rebuild_log(database.connection, log, settings, on_progress=show)
            )
    done = [(each, result) for each, result in zip(logs, results, strict=True) if isinstance(result, LogResult)]
    rows = rows_of(_REBUILT, (_rebuilt_row(each, result) for each, result in done))
    print_rows(rows, REBUILT_COLUMNS, title="Rebuilt logs, and the rows replaced", as_json=as_json)
    fail_if([result for result in results if isinstance(result, str)])


def _rebuilt_row(each: JobLog, result: LogResult) -> tuple[object, ...]:
    replaced = (sum(getattr(table, kind) for table in result.repaired) for kind in ("missing", "extra", "different"))
    return (*each.names, result.rebuilt, result.added, *replaced)
