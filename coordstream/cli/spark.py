"""`coordstream spark`: the data pipeline and reports on Spark. Modules that load PySpark are imported when needed."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING, Annotated, Final

import typer

from coordstream.cli import spark_reports
from coordstream.cli.arguments import Against, Json, Kind, duration_option, parse_duration_or_zero
from coordstream.cli.job_selection import All, Jobs, require_selection, selected_logs
from coordstream.cli.lakes import archive_in, runner, verify_lake
from coordstream.cli.long_running import (
    FollowAll,
    Format,
    JsonReport,
    Once,
    Streams,
    Timeout,
    stopped_by_signals,
)
from coordstream.cli.output import fail_if, print_json
from coordstream.cli.spark_session import Conf, Master, Tasks, require_spark, spark_conf, spark_session
from coordstream.database import Database, open_database
from coordstream.errors import CoordstreamError
from coordstream.settings import load_settings
from eventlog.errors import PortableError
from eventlog.kafka.options import require_brokers
from projections.fold.settings import FoldSettings
from projections.tracked_logs import TRACKED_BACKENDS, mark_for_rebuild
from spark_jobs.place import ARCHIVE, KAFKA, is_lake

if TYPE_CHECKING:
    from coordstream.cli.follow import FollowRequest
    from coordstream.spark import SteeredStream
    from projections.follow.follower import Follower
    from spark_jobs.log_task import StreamTask
    from spark_jobs.replay import Replayed

MOST_FAILURES: Final = 20
_MAY_WRITE: Final = "select has_table_privilege('projection.position', 'insert')"

app = typer.Typer()
app.registered_commands.extend(spark_reports.app.registered_commands)


@app.command()
def follow(
    streams: Streams = None,
    follows_all: FollowAll = False,
    once: Once = False,
    timeout: Timeout = None,
    kind: Kind = None,
    log_format: Format = "text",
    as_json: JsonReport = False,
    master: Master = None,
    conf: Conf = None,
) -> None:
    """Follow streams on the Kafka brokers with Structured Streaming. SIGTERM stops it cleanly.

    Example: coordstream spark follow --all --once --master 'local[2]'

    Executors apply the events, log by log, each batch in one transaction with the log's position. Each log continues at
    its position in the database; Spark's checkpoint is temporary. In all else it behaves as `coordstream follow` does,
    with the same exit codes, and both can run at the same time. It does not run on Spark Connect.
    """
    from coordstream.cli.follow import plan_of, run_follow  # noqa: PLC0415 (loads the follower)

    plan = plan_of(streams, follows_all, once, timeout, kind)
    settings = spark_conf(master, conf)
    if "spark.remote" in settings:
        raise typer.BadParameter(
            "`spark follow` does not run on Spark Connect. Use another '--master'. If SPARK_REMOTE is set, unset it."
        )
    if load_settings().kafka is None:
        raise CoordstreamError(
            "COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS is not set. Set it, or use `coordstream follow` for logs in Postgres."
        )
    require_spark()
    run_follow(plan, partial(_open_follower, settings), timeout=timeout, log_format=log_format, as_json=as_json)


@contextmanager
def _open_follower(conf: dict[str, str], database: Database, request: "FollowRequest") -> "Iterator[Follower]":
    from spark_jobs.follow.micro_batches import MicroBatches, MicroBatchTail  # noqa: PLC0415
    from spark_jobs.log_task import LogTaskSettings  # noqa: PLC0415

    name = "coordstream spark follow"
    given = LogTaskSettings(database.url, FoldSettings(database.secrets), database.settings.kafka)
    with spark_session(name, conf) as spark, MicroBatches(spark, given) as source:
        more = {"locks": source.locks, "make_tail": MicroBatchTail, "application_name": name}
        yield request.follower(database, source, **more)


@app.command()
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
    tasks: Tasks = None,
    lock_timeout: Annotated[
        float,
        duration_option(
            "--lock-timeout",
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

    Example: coordstream spark replay --from /data/recordings --jobs 'orders*'

    Loads topics, recordings or a lake into the database, or rebuilds the relations from the archive while a follower
    may run. Each log is one transaction: it is replayed whole or not at all, and another replay does the rest. Exit
    code 1 if a log cannot be replayed.
    """
    settings = spark_conf(master, conf)
    if not source:  # otherwise it would be the current folder
        raise typer.BadParameter("'--from' is empty. Expected 'archive', 'kafka', a lake, or recordings.")
    is_known = source in (ARCHIVE, KAFKA) or is_lake(source)
    require_spark()
    from spark_jobs.log_task import LogTaskSettings  # noqa: PLC0415
    from spark_jobs.recordings import check_recordings, find_files  # noqa: PLC0415
    from spark_jobs.replay import replay as replay_logs  # noqa: PLC0415
    from spark_jobs.replay import select_jobs  # noqa: PLC0415

    files = [] if is_known else find_files(source)
    with open_database(warns=False, lifts_timeouts=True) as database:
        if database.connection.execute(_MAY_WRITE).fetchone() != (True,):  # before recordings are read to their ends
            raise CoordstreamError("This database user may not write relations. Connect as the database's owner.")
        fold, kafka = FoldSettings(database.secrets), database.settings.kafka
        given = LogTaskSettings(database.url, fold, kafka, kind, busy_seconds=lock_timeout)
        logs = _known_logs(source, kind, jobs, database) if is_known else []
        with spark_session("coordstream spark replay", settings) as spark:
            if files:
                logs = select_jobs(check_recordings(spark, files, given, tasks), jobs, f"'{source}'")
            done = replay_logs(spark, database.connection, logs, given, tasks)
    _print_replayed(source, done, as_json=as_json)


def _known_logs(source: str, kind: str | None, jobs: str | None, database: Database) -> "list[StreamTask]":
    """The logs of the archive, the brokers or a lake. Raises CoordstreamError, SparkJobError: there are none."""
    from spark_jobs.replay import archived_log, select_jobs, topic_streams  # noqa: PLC0415

    if source == KAFKA:
        from coordstream.event_logs import source_of  # noqa: PLC0415

        require_brokers(database.settings.kafka)
        with source_of(database.settings, database.url) as topics:
            _ = topics.cluster_id  # one error, rather than one for each stream
            return select_jobs(topic_streams(topics, kind), jobs, "the Kafka cluster")
    if source != ARCHIVE:
        from spark_jobs.lake.replay import lake_streams  # noqa: PLC0415 (loads deltalake)

        return select_jobs(lake_streams(source), jobs, f"'{source}'")
    with database.connection.transaction():  # a pattern without a job means that nothing is marked
        mark_for_rebuild(database.connection, TRACKED_BACKENDS)
        logs = selected_logs(database.connection, [])
        return select_jobs([archived_log(log, (job.name, job.id)) for job, log in logs], jobs, "the archive")


def _print_replayed(source: str, done: "Replayed", *, as_json: bool) -> None:
    count, folded = len(done.results), done.count("added", "rebuilt")
    figures = {figure: done.count(figure) for figure in ("skipped", "quarantined", "repaired_rows")}
    events = folded + figures["skipped"]
    for message in filter(None, (result.message for result in done.results)):
        print(message, file=sys.stderr)
    if as_json:
        figures = {"log_count": count, "event_count": events, "added": folded, **figures}
        seconds = round(done.seconds, 3)
        failures = [{"stream_name": name, "reason": reason} for name, reason in done.failures.items()]
        print_json({"source": source, **figures, "seconds": seconds, "failures": failures})
    else:
        words = {
            "quarantined": "of them in quarantine",
            "skipped": "events already present",
            "repaired_rows": "rows replaced",
        }
        more = "".join(f", {figures[figure]:,} {what}" for figure, what in words.items() if figures[figure])
        rate = f"{events / done.seconds:,.0f} events/s" if done.seconds else ""
        logs = "1 log" if count == 1 else f"{count:,} logs"
        print(f"Replayed {logs}: {folded:,} events{more}, in {done.seconds:.1f} s ({rate})")
    shown = [f"Cannot replay {name}. {reason}" for name, reason in islice(done.failures.items(), MOST_FAILURES)]
    left = len(done.failures) - len(shown)
    fail_if([*shown, *([f"… and {left} more. '--json' lists all."] if left else [])])


@app.command()
def verify(
    jobs: Jobs = None,
    every: All = False,
    against: Against = ARCHIVE,
    tasks: Tasks = None,
    master: Master = None,
    conf: Conf = None,
    as_json: Json = False,
) -> None:
    """Compare the relations' tables with the archived events, many logs at a time in Spark's executors.

    Example: coordstream spark verify --all

    Does and prints the same as `coordstream verify`, with the same exit codes.
    """
    require_selection(jobs, every=every)
    settings = spark_conf(master, conf)
    require_spark()
    from coordstream.cli.verify import print_verifications  # noqa: PLC0415 (loads the fold)
    from spark_jobs.log_task import LogTaskSettings  # noqa: PLC0415
    from spark_jobs.replay import verify as verify_logs  # noqa: PLC0415

    with open_database() as database:
        logs = selected_logs(database.connection, jobs or [])
        with spark_session("coordstream spark verify", settings) as spark:
            if against != ARCHIVE:
                verify_lake(against, logs, runner(database, spark, tasks), as_json=as_json)
                return
            given = LogTaskSettings(database.url, FoldSettings(database.secrets))
            found = verify_logs(spark, [each.log for each in logs], given, tasks)
    results = [
        f"Cannot verify {each.log.stream.stream_name}. {result}" if isinstance(result, str) else result
        for each, result in zip(logs, found, strict=True)
    ]
    print_verifications(logs, results, as_json=as_json)


@app.command()
def archive(
    output: Annotated[
        str,
        typer.Option(
            "--output",
            metavar="PATH",
            help="The lake: a path that executors can reach, or a URI of an object store such as s3://bucket/folder.",
        ),
    ],
    master: Master = None,
    conf: Conf = None,
    as_json: Json = False,
) -> None:
    """Add the events that a lake lacks. Executors write them as files of a Delta table, by stream.

    Example: coordstream spark archive --output s3://bucket/coordstream

    The first run writes every event of the archive, later ones what is new; `coordstream export --lake` does the same.
    A run is one commit, so that an interrupted run adds nothing. The lake has the original bytes, secrets included: let
    nobody read it who may not read the archive. Exit code 1 if a log is left out: it was not followed yet, must be
    rebuilt, or lost events to an earlier retention.
    """
    settings = spark_conf(master, conf)
    require_spark("deltalake")
    from spark_jobs.lake.table import lake_uri  # noqa: PLC0415 (loads deltalake)

    lake_uri(output)  # an invalid output fails before Spark starts
    with open_database() as database, spark_session("coordstream spark archive", settings) as spark:
        archive_in(output, database, spark, as_json=as_json)


@app.command()
def run(
    stream: Annotated[
        str, typer.Argument(metavar="MODULE:STREAM", help="A SteeredStream, or a function that makes it.")
    ],
    available_now: Annotated[
        bool, typer.Option("--available-now", help="Read to the current ends, then exit.")
    ] = False,
    interval: Annotated[
        float, duration_option("--interval", show_default=False, help="How long to wait for new records (default: 1s).")
    ] = 1.0,
    master: Master = None,
    conf: Conf = None,
) -> None:
    """Run a steered job: startpoints and checkpoints decide where it starts, and each batch is written exactly once.

    Example: coordstream spark run clicks:stream --available-now

    MODULE is a Python module, also one in the current folder. SIGTERM ends the job after the batch that it works on.
    Exit code 1 if another copy of the job takes over.
    """
    settings = spark_conf(master, conf)
    require_spark()
    found = _find_stream(stream)
    with (
        stopped_by_signals(lambda _: found.stop()),
        spark_session(f"coordstream spark run {stream}", settings) as spark,
    ):
        count = found.run(spark, available_now=available_now, interval=interval)
    print("Wrote 1 batch." if count == 1 else f"Wrote {count} batches.")


def _find_stream(name: str) -> "SteeredStream":
    """The stream that MODULE:STREAM names. Raises CoordstreamError: there is none, or its module fails."""
    from coordstream.spark import SteeredStream  # noqa: PLC0415 (loads PySpark)

    module_name, _, attribute = name.partition(":")
    if not attribute:
        raise typer.BadParameter(f"Invalid {name!r}: ':STREAM' is missing, as in clicks:stream.")
    sys.path.insert(0, str(Path.cwd()))
    try:
        found = getattr(importlib.import_module(module_name), attribute)
        found = found() if callable(found) else found
    except PortableError:
        raise
    except Exception as error:
        not_its_own = (__file__, importlib.__file__, "<frozen importlib")
        places = [each for each in extract_tb(error.__traceback__) if not each.filename.startswith(not_its_own)]
        place = "".join(f" ({Path(each.filename).name}, line {each.lineno})" for each in places[:1])
        reason = f"{type(error).__name__}: {error}{place}"
        raise CoordstreamError(f"Cannot load {name!r}: {reason}. Correct MODULE:STREAM, or the module.") from error
    if not isinstance(found, SteeredStream):
        raise CoordstreamError(f"{name!r} is {type(found).__name__}. Expected a SteeredStream.")
    return found
