"""`coordstream follow`: read streams into the relations as they grow."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import typer

from coordstream.cli.arguments import Kind
from coordstream.cli.event_logs import source_of
from coordstream.cli.follow.input_observer import observing_inputs
from coordstream.cli.follow.options import (
    All,
    Format,
    InputBounds,
    JsonReport,
    Once,
    Streams,
    TakeOverAfter,
    Timeout,
    UntilOffset,
)
from coordstream.cli.follow.progress import LogFormat, report_line
from coordstream.cli.follow.run import FollowRequest, check_streams, run_follow
from coordstream.cli.serve import MetricsPort, MetricsTokenFile, serving_metrics
from coordstream.database import Database
from coordstream.serve.follower_metrics import FollowerMetrics
from eventlog.log import system_clock
from projections.fold.settings import FoldSettings
from projections.follow.follow_run import FollowPlan
from projections.follow.follower import Follower

app = typer.Typer()


@app.command()
def follow(
    streams: Streams = None,
    follows_all: All = False,
    once: Once = False,
    until: UntilOffset = None,
    timeout: Timeout = None,
    kind: Kind = None,
    take_over_after: TakeOverAfter = None,
    input_bounds: InputBounds = None,
    metrics_port: MetricsPort = None,
    metrics_token_file: MetricsTokenFile = None,
    log_format: Format = LogFormat.TEXT,
    as_json: JsonReport = False,
) -> None:
    """Follow streams on the Kafka brokers of the settings, or else in the database. SIGTERM stops it cleanly.

    Exit codes:

    - 0: done, or stopped by a signal without --once and --until
    - 1: a stream was refused, or the brokers or the database rejected the credentials
    - 3: the timeout expired
    - 4: the brokers or the database did not answer until the timeout, or for a minute
    - 128 + number of a signal: stopped by it before the end that --once or --until names
    """
    names = tuple(dict.fromkeys(streams or ()))
    check_streams(names, follows_all, once, until, timeout)
    if input_bounds is not None and (once or until is not None):
        raise typer.BadParameter("--input-bounds cannot be used with --once or --until. Use `coordstream lag`.")
    plan = FollowPlan(names, follows_all, once, until, kind, take_over_after)
    metrics = FollowerMetrics()
    with serving_metrics(metrics_port, metrics_token_file, report_line(log_format), metrics):
        opening = partial(_open_follower, input_bounds, metrics.set_follower)
        run_follow(plan, opening, timeout=timeout, log_format=log_format, as_json=as_json)


@contextmanager
def _open_follower(
    input_bounds: float | None, watch: Callable[[Follower], None], database: Database, request: FollowRequest
) -> Iterator[Follower]:
    with (
        source_of(database.settings, database.url) as source,
        observing_inputs(database.url, input_bounds, request.progress.message),
    ):
        follower = Follower(
            database.url,
            source,
            FoldSettings(database.secrets),
            system_clock,
            request.plan,
            on_message=request.progress.message,
            on_progress=request.progress.batch,
            outage_timeout=request.outage_timeout,
        )
        watch(follower)
        yield follower
