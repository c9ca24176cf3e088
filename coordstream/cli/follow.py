"""`coordstream follow`: streams into the relations, as they grow."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from time import monotonic
from types import FrameType
from typing import Annotated, Final

import typer
from rich.console import Console

from coordstream.cli.completion import complete_stream
from coordstream.cli.database import database_errors, open_database
from coordstream.cli.event_logs import open_source
from coordstream.cli.follow_progress import FollowProgress
from coordstream.cli.options import MOST, Kind
from coordstream.cli.take_over import TakeOverAfter
from eventlog.log import system_clock
from projections.fold.settings import FoldSettings
from projections.follow.follower import Follower
from projections.follow.plan import FollowPlan

STOP_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)

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
    kind: Kind = None,
    take_over_after: TakeOverAfter = None,
) -> None:
    """Follow streams: those of the brokers that are set, else those kept in the database. SIGTERM ends it cleanly."""
    plan = _plan(tuple(dict.fromkeys(streams or ())), follows_all=follows_all, once=once, until=until, kind=kind)
    plan = replace(plan, take_over_after=take_over_after)
    with open_database() as database:
        settings, url, secrets = database.settings, database.url, database.secrets
    with (
        database_errors(settings),
        open_source() as source,
        FollowProgress(Console(stderr=True), monotonic) as progress,
    ):
        follower = Follower(
            url,
            source,
            FoldSettings(secrets),
            system_clock,
            plan,
            on_message=progress.message,
            on_progress=progress.batch,
        )
        with _stopped_by_signals(follower.stop) as signals:
            outcome = follower.run()
    if outcome.failures and not signals:
        raise typer.Exit(1)
    if plan.has_end:
        print(f"{outcome.events} events taken")


def _plan(names: tuple[str, ...], *, follows_all: bool, once: bool, until: int | None, kind: str | None) -> FollowPlan:
    if bool(names) == follows_all:
        raise typer.BadParameter("name the streams to follow, or give --all instead")
    if until is not None and (once or len(names) != 1):
        raise typer.BadParameter("--until goes with the name of one stream, and without --once")
    return FollowPlan(names, follows_all=follows_all, once=once, until=until, kind=kind)


@contextmanager
def _stopped_by_signals(stop: Callable[[], None]) -> Iterator[list[int]]:
    """Let a signal stop the follower after the batch at hand, and a second one end the program as ever."""
    received: list[int] = []
    before = {number: signal.getsignal(number) for number in STOP_SIGNALS}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def handle(number: int, frame: FrameType | None) -> None:
        del frame
        received.append(number)
        restore()
        stop()

    for number in STOP_SIGNALS:
        signal.signal(number, handle)
    try:
        yield received
    finally:
        restore()
