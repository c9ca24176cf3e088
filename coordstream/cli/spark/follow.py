"""`coordstream spark follow`: read streams of Kafka into the relations as they grow, in Spark's executors."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Final

import typer

from coordstream.cli.arguments import Kind, parse_duration
from coordstream.cli.follow import (
    All,
    FollowRequest,
    JsonReport,
    Once,
    OpenFollower,
    Streams,
    TakeOverAfter,
    check_streams,
    run_follow,
)
from coordstream.cli.long_running import Format, LogFormat
from coordstream.cli.spark.session import Conf, Master, require_spark, spark_conf, spark_session
from coordstream.database import Database
from coordstream.errors import CoordstreamError
from coordstream.settings import load_settings
from eventlog.log import system_clock
from projections.fold.settings import FoldSettings
from projections.follow.follow_run import FollowPlan
from projections.follow.follower import Follower

APPLICATION_NAME: Final = "coordstream spark follow"

Timeout = Annotated[
    float | None,
    typer.Option(
        "--timeout",
        metavar="DURATION",
        parser=parse_duration,
        help="With --once: give up after this time, for example 90s or 5m.",
    ),
]


def follow(
    streams: Streams = None,
    follows_all: All = False,
    once: Once = False,
    timeout: Timeout = None,
    kind: Kind = None,
    take_over_after: TakeOverAfter = None,
    log_format: Format = LogFormat.TEXT,
    as_json: JsonReport = False,
    master: Master = None,
    conf: Conf = None,
) -> None:
    """Follow streams on the Kafka brokers of the settings with Structured Streaming. SIGTERM stops it cleanly.

    Executors apply the events, log by log, each batch in one transaction with the log's position. The position decides
    where a log is read on; Spark's checkpoint is temporary. Otherwise it works as `coordstream follow`, also beside it,
    and has the same exit codes.
    """
    if timeout is not None and not once:
        raise typer.BadParameter("--timeout needs --once.")
    names = tuple(dict.fromkeys(streams or ()))
    check_streams(names, follows_all, once, None, timeout)
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
    plan = FollowPlan(names, follows_all, once, None, kind, take_over_after)
    run_follow(plan, _follower_opener(settings), timeout=timeout, log_format=log_format, as_json=as_json)


def _follower_opener(conf: dict[str, str]) -> OpenFollower:
    from spark_jobs.data_source.access import Access  # noqa: PLC0415 (`--help` works without Spark)

    try:
        from spark_jobs.follow.micro_batches import MicroBatches  # noqa: PLC0415
    except ImportError:  # the packages are there: `require_spark` has checked
        raise CoordstreamError("`coordstream spark follow` needs PySpark 4.2 or newer.") from None

    @contextmanager
    def open_follower(database: Database, request: FollowRequest) -> Iterator[Follower]:
        access = Access(database.secrets, database.url, database.settings.kafka)
        with spark_session(APPLICATION_NAME, conf) as spark, MicroBatches(spark, access) as source:
            yield Follower(
                database.url,
                source,
                FoldSettings(database.secrets),
                system_clock,
                request.plan,
                on_message=request.lines.message,
                on_progress=request.lines.batch,
                locks=source.locks,
                make_tail=source.make_tail,
                application_name=APPLICATION_NAME,
                outage_timeout=request.outage_timeout,
            )

    return open_follower
