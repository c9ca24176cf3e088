"""`coordstream spark replay`: logs to relations, in parallel in Spark's executors."""

import sys
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from coordstream.cli.arguments import Kind, parse_duration_or_zero, parse_time
from coordstream.cli.event_logs import open_topics
from coordstream.cli.job.selection import selected_logs
from coordstream.cli.output import print_json
from coordstream.cli.spark.session import Conf, Master, Tasks, require_spark, spark_conf, spark_session
from coordstream.database import Database, open_database
from coordstream.errors import CoordstreamError
from projections.fold.settings import FoldSettings
from projections.rebuild import TRACKED_BACKENDS, mark_for_rebuild

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_jobs.log_task import LogTaskSettings
    from spark_jobs.replay import Replayed, ReplayTask

    FindLogTasks = Callable[[Any, LogTaskSettings], list[ReplayTask]]

ARCHIVE: Final = "archive"
KAFKA: Final = "kafka"
MOST_FAILURES: Final = 20
_MAY_WRITE: Final = "select has_table_privilege('projection.position', 'insert')"


class Request(NamedTuple):
    """What to replay, as the options say."""

    source: str
    jobs: str | None
    until: datetime | None
    tasks: int | None
    lock_timeout: float
    kind: str | None


def replay(
    source: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="archive|kafka|PATH",
            help="The archive (rebuilds its logs), the brokers' topics, a lake, or recordings (file, folder, pattern).",
        ),
    ] = ARCHIVE,
    jobs: Annotated[
        str | None, typer.Option("--jobs", metavar="GLOB", help="Only jobs whose name or name/id matches: 'orders*'.")
    ] = None,
    until: Annotated[
        datetime | None,
        typer.Option(
            "--until",
            metavar="TIME",
            parser=parse_time,
            help="As if each log ended before its first later event. Not for the archive, and not for a lake, whose "
            "logs are restored as they were at its last run.",
        ),
    ] = None,
    tasks: Tasks = None,
    lock_timeout: Annotated[
        float,
        typer.Option(
            "--lock-timeout",
            metavar="DURATION",
            parser=parse_duration_or_zero,
            show_default=False,
            help="How long a task waits for streams that are being read (default: 30s).",
        ),
    ] = 30.0,
    kind: Kind = None,
    master: Master = None,
    conf: Conf = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Replay logs into relations, many at a time in Spark's executors.

    Loads topics, recordings or a lake into the database, or rebuilds the relations from the archive while a follower
    may run. Each log is one transaction: it is replayed whole or not at all, and another replay does the rest. Exit
    code 1 if a log cannot be replayed.
    """
    settings = spark_conf(master, conf)
    if not source:  # otherwise it would be the current folder
        raise typer.BadParameter("'--from' is empty. Expected 'archive', 'kafka', a lake, or recordings.")
    if until is not None and source == ARCHIVE:
        raise typer.BadParameter("'--until' needs '--from kafka' or recordings: a rebuild keeps all archived events.")
    require_spark()
    done = _replay(Request(source, jobs, until, tasks, lock_timeout, kind), settings)
    for message in done.messages:
        print(message, file=sys.stderr)
    if as_json:
        print_json(_json(source, done))
    else:
        print(_describe(done))
    _print_failures(done)
    if done.failures:
        raise typer.Exit(1)


def _replay(request: Request, conf: dict[str, str]) -> "Replayed":
    from spark_jobs.replay import replay  # noqa: PLC0415 (`--help` works without Spark)

    find_log_tasks = None if request.source in (ARCHIVE, KAFKA) else _finder(request)
    with open_database(warns=False) as database:
        _require_right_to_write(database)
        settings = _log_task_settings(request, database)
        log_tasks = [] if find_log_tasks else _known_log_tasks(request, database)
        with spark_session("coordstream spark replay", conf) as spark:
            if find_log_tasks:
                log_tasks = find_log_tasks(spark, settings)
            return replay(spark, database.connection, log_tasks, settings, request.tasks)


def _require_right_to_write(database: Database) -> None:
    """Raise CoordstreamError before Spark starts, and reads all recordings, for a user who can only read."""
    if database.connection.execute(_MAY_WRITE).fetchone() != (True,):
        raise CoordstreamError("This database user may not write relations. Connect as the database's owner.")


def _finder(request: Request) -> "FindLogTasks":
    """A function that finds the logs of a lake or of recordings with Spark. Raises SparkJobError: there are none."""
    from spark_jobs.lake.files import is_lake  # noqa: PLC0415 (`--help` works without Spark)
    from spark_jobs.lake.replay import lake_streams  # noqa: PLC0415
    from spark_jobs.recordings import check_recordings, find_files  # noqa: PLC0415
    from spark_jobs.replay import select_jobs  # noqa: PLC0415

    source, place = request.source, f"'{request.source}'"
    if is_lake(source):
        if request.until is not None:
            raise typer.BadParameter(
                "'--until' needs '--from kafka' or recordings: the logs of a lake are restored as they were at its "
                "last run."
            )
        return lambda spark, _: select_jobs(lake_streams(spark, source), request.jobs, place)
    files = find_files(source)
    return lambda spark, settings: select_jobs(
        check_recordings(spark, files, settings, request.tasks), request.jobs, place
    )


def _log_task_settings(request: Request, database: Database) -> "LogTaskSettings":
    from spark_jobs.log_task import LogTaskSettings  # noqa: PLC0415 (`--help` works without Spark)

    return LogTaskSettings(
        database.url,
        FoldSettings(database.secrets),
        database.settings.kafka,
        request.until,
        request.kind,
        busy_seconds=request.lock_timeout,
    )


def _known_log_tasks(request: Request, database: Database) -> "list[ReplayTask]":
    """The logs of the archive or the topics of the brokers. Raises CoordstreamError, SparkJobError: there are none."""
    from spark_jobs.replay import ArchivedLog, select_jobs, topic_streams  # noqa: PLC0415 (`--help` works without Spark)

    if request.source == ARCHIVE:
        with database.connection.transaction():  # a pattern without a job means that nothing is marked
            mark_for_rebuild(database.connection, TRACKED_BACKENDS)
            logs = selected_logs(database.connection, [])
            return select_jobs([ArchivedLog(log, (job.name, job.id)) for job, log in logs], request.jobs, "the archive")
    with open_topics() as topics:
        return select_jobs(topic_streams(topics, request.kind), request.jobs, "the Kafka cluster")


def _describe(done: "Replayed") -> str:
    total = done.total
    quarantined = f", {total.quarantined:,} of them in quarantine" if total.quarantined else ""
    skipped = f", {total.skipped:,} events already present" if total.skipped else ""
    repaired = f", {total.repaired_rows:,} rows replaced" if total.repaired_rows else ""
    rate = f"{(done.folded + total.skipped) / done.seconds:,.0f} events/s" if done.seconds else ""
    logs = "1 log" if done.log_count == 1 else f"{done.log_count:,} logs"
    return f"Replayed {logs}: {done.folded:,} events{quarantined}{skipped}{repaired}, in {done.seconds:.1f} s ({rate})"


def _json(source: str, done: "Replayed") -> dict[str, object]:
    return {
        "source": source,
        "log_count": done.log_count,
        "event_count": done.folded + done.total.skipped,
        "added": done.folded,
        "skipped": done.total.skipped,
        "quarantined": done.total.quarantined,
        "repaired_rows": done.total.repaired_rows,
        "seconds": round(done.seconds, 3),
        "failures": [{"stream_name": name, "reason": reason} for name, reason in done.failures.items()],
    }


def _print_failures(done: "Replayed") -> None:
    for name, reason in islice(done.failures.items(), MOST_FAILURES):
        print(f"Cannot replay {name}. {reason}", file=sys.stderr)
    if len(done.failures) > MOST_FAILURES:
        print(f"… and {len(done.failures) - MOST_FAILURES} more. '--json' lists all.", file=sys.stderr)
