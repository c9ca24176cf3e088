"""`coordstream rebuild`: replaces stored rows that are not what the archived events fold to."""

from contextlib import nullcontext
from enum import StrEnum
from typing import Annotated, Final

import typer

from coordstream.cli.arguments import Csv, Json
from coordstream.cli.event_logs import open_topics
from coordstream.cli.job_selection import All, JobLog, Jobs, require_selection, selected_logs, work_on_logs
from coordstream.cli.output import Column, print_rows
from coordstream.database import open_database
from coordstream.messages import note
from coordstream.queries.rows import Row, Rows
from projections.fold.settings import FoldSettings
from projections.rebuild import Rebuilt, rebuild_log
from projections.tracked_logs import TRACKED_BACKENDS, mark_for_rebuild

app = typer.Typer()

COLUMNS: Final = (
    Column("stream", "stream_name", no_wrap=True),
    Column("inc.", "incarnation", "right", drop=2),
    Column("events", "event_count", "right"),
    Column("fetched", "fetched_count", "right", drop=1),
    Column("missing", "missing", "right"),
    Column("extra", "extra", "right"),
    Column("different", "different", "right"),
)
_ROW: Final = (
    *("job_name", "job_id", "stream_name", "stream_kind", "incarnation", "event_count", "fetched_count"),
    *("missing", "extra", "different"),
)


class From(StrEnum):
    """Where the events come from."""

    ARCHIVE = "archive"
    KAFKA = "kafka"


@app.command()
def rebuild(
    jobs: Jobs = None,
    every: All = False,
    origin: Annotated[
        From, typer.Option("--from", help="kafka: first fetch events that the archive lacks from the topics.")
    ] = From.ARCHIVE,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Rebuild the relations' tables from the archived events.

    Folds each log again and replaces the rows that are missing, extra or different, in one transaction per log:
    readers see the old rows or the new ones. A follower may run meanwhile. Use it after damage, after an upgrade that
    asks for it, and when the tables were dropped. With '--from kafka', events that the archive lacks are fetched from
    the topic first; archived events never change. Exit code 1 if a log cannot be rebuilt, or if archived events differ
    from those of the topic.

    Example: coordstream rebuild wordcount --from kafka
    """
    require_selection(jobs, every=every)
    with (
        open_database(warns=False) as database,
        open_topics() if origin is From.KAFKA else nullcontext() as topics,
    ):
        settings = FoldSettings(database.secrets)
        with database.connection.transaction():  # an unknown job means that nothing is marked
            mark_for_rebuild(database.connection, TRACKED_BACKENDS)
            logs = selected_logs(database.connection, jobs or [])
        results = work_on_logs(
            logs,
            "rebuild",
            lambda log, show: rebuild_log(database.connection, log, settings, source=topics, on_progress=show),
        )
    done = [(each, result) for each, result in zip(logs, results, strict=True) if isinstance(result, Rebuilt)]
    rows = Rows(_ROW, (_row(each, result) for each, result in done))
    print_rows(rows, COLUMNS, title="Rebuilt logs, and the rows replaced", as_json=as_json, as_csv=as_csv)
    failures = [result for result in results if isinstance(result, str)]
    failures += [_describe_difference(result) for _, result in done if result.topic and result.topic.different]
    for sentence in failures:
        note(sentence)
    if failures:
        raise typer.Exit(1)


def _describe_difference(result: Rebuilt) -> str:
    name, count = result.log.stream.stream_name, result.topic.different if result.topic else 0
    return (
        f"{name}: archived events that differ from the topic, left unchanged: {count}. "
        "See `coordstream verify --against kafka`."
    )


def _row(each: JobLog, result: Rebuilt) -> Row:
    return {
        **each.row(),
        "event_count": result.events,
        "fetched_count": 0 if result.topic is None else result.topic.missing,
        "missing": sum(table.missing for table in result.repaired),
        "extra": sum(table.extra for table in result.repaired),
        "different": sum(table.different for table in result.repaired),
    }
