"""`coordstream follow`: streams into the relations, as they grow."""

from dataclasses import replace
from time import monotonic
from typing import Annotated, Final

import typer
from rich.console import Console

from coordstream.cli.arguments.duration import parse_duration
from coordstream.cli.arguments.options import MOST, Kind
from coordstream.cli.completion import complete_stream
from coordstream.cli.database import database_errors
from coordstream.cli.event_logs import source_of
from coordstream.cli.follow.beginning import beginning
from coordstream.cli.follow.ending import SIGNALLED, Ending, described, ending_after, exit_code, last_words
from coordstream.cli.follow.progress import FollowProgress, LogFormat
from coordstream.cli.follow.reach import reach_database
from coordstream.cli.follow.take_over import TakeOverAfter
from coordstream.cli.output.formats import print_json
from eventlog.log import system_clock
from projections.fold.settings import FoldSettings
from projections.follow.follow_run import FollowPlan
from projections.follow.follower import Follower, Outcome

PATIENCE_SECONDS: Final = 60.0
"""So long a follower that has an end, and no timeout, waits for brokers and the database."""

app = typer.Typer()


@app.command()
def follow(
    streams: Annotated[
        list[str] | None,
        typer.Argument(metavar="[STREAM]...", help="Names of streams.", autocompletion=complete_stream),
    ] = None,
    follows_all: Annotated[bool, typer.Option("--all", help="All of Samza's streams, also those to come.")] = False,
    once: Annotated[bool, typer.Option("--once", help="Read to the ends as they are now, and end.")] = False,
    until: Annotated[
        int | None, typer.Option("--until", min=0, max=MOST, metavar="OFFSET", help="End after this offset.")
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(
            "--timeout",
            metavar="TIME",
            parser=parse_duration,
            help="With --once or --until: give up after so long, such as 90s or 5m.",
        ),
    ] = None,
    kind: Kind = None,
    take_over_after: TakeOverAfter = None,
    log_format: Annotated[
        LogFormat, typer.Option("--log-format", help="How lines on standard error are written.")
    ] = LogFormat.TEXT,
    as_json: Annotated[
        bool, typer.Option("--json", help="At the end, print a JSON list with an object for each stream.")
    ] = False,
) -> None:
    """Follow streams: those of the brokers that are set, else those kept in the database. SIGTERM ends it cleanly.

    Exit code 0: done, or ended by a signal without --once and --until. With these, 1: a stream, the brokers or the
    database refused; 3: the timeout came first; 4: the brokers or the database could not be reached, for a minute or
    until the timeout; 128 + the signal's number: ended by a signal before.
    """
    plan = _plan(tuple(dict.fromkeys(streams or ())), follows_all=follows_all, once=once, until=until, kind=kind)
    plan = replace(plan, take_over_after=take_over_after)
    if timeout is not None and not plan.has_end:
        raise typer.BadParameter("--timeout goes with --once or --until")
    patience = PATIENCE_SECONDS if plan.has_end and timeout is None else None
    with (
        ending_after(timeout) as ending,
        FollowProgress(Console(stderr=True), monotonic, system_clock, log_format) as progress,
    ):
        outcome = _followed(plan, ending, progress, patience)
        progress.message(last_words(plan, ending, outcome))
    if as_json:
        print_json([described(plan, stream) for stream in outcome.streams])
    elif plan.has_end:
        print(f"{outcome.events} events taken")
    code = exit_code(plan, ending, outcome)
    if code > SIGNALLED:
        raise SystemExit(code)  # Typer takes 130 for an interrupt that nobody handled
    if code:
        raise typer.Exit(code)


def _plan(names: tuple[str, ...], *, follows_all: bool, once: bool, until: int | None, kind: str | None) -> FollowPlan:
    if bool(names) == follows_all:
        raise typer.BadParameter("name the streams to follow, or give --all instead")
    if until is not None and (once or len(names) != 1):
        raise typer.BadParameter("--until goes with the name of one stream, and without --once")
    return FollowPlan(names, follows_all=follows_all, once=once, until=until, kind=kind)


def _followed(plan: FollowPlan, ending: Ending, progress: FollowProgress, patience: float | None) -> Outcome:
    reached = reach_database(ending, patience, progress.message)
    if reached is None:
        return Outcome(0, {}, is_complete=False, outage="the database cannot be reached")
    settings, url = reached.database.settings, reached.database.url
    with database_errors(settings), source_of(settings, url) as source:
        progress.message(beginning(plan, settings, reached.words))
        follower = Follower(
            url,
            source,
            FoldSettings(reached.database.secrets),
            system_clock,
            plan,
            on_message=progress.message,
            on_progress=progress.batch,
            outage_timeout=patience,
        )
        ending.stop_with(follower.stop)
        return follower.run()
