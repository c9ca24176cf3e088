"""Observes the inputs of followed jobs while a follower runs: `coordstream follow --input-bounds`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Final

import psycopg

from coordstream.cli.lag.observation import observe_inputs
from coordstream.errors import CoordstreamError
from eventlog.log import system_clock
from eventlog.postgres.connection import Connection, connect, failure_line
from projections.job_choice import Job

_FOLLOWED: Final = """
select distinct job_name, job_id from coordinator.log_position
where state in ('live', 'catching-up', 'replacing') order by 1, 2
"""
_STOP_SECONDS: Final = 5.0


@contextmanager
def observing_inputs(database_url: str, seconds: float | None, report: Callable[[str], None]) -> Iterator[None]:
    """Observe the inputs of followed jobs every ``seconds`` in a thread of its own; None: do not.

    A failure never stops the follower. ``report`` gets a sentence when what fails has changed.
    """
    if seconds is None:
        yield
        return
    stop = Event()
    observer = Thread(target=_observe, args=(database_url, seconds, report, stop), name="inputs", daemon=True)
    observer.start()
    try:
        yield
    finally:
        stop.set()
        observer.join(_STOP_SECONDS)


def _observe(database_url: str, seconds: float, report: Callable[[str], None], stop: Event) -> None:
    reported: list[str] = []
    while not stop.wait(seconds):
        failures = observe_once(database_url)
        for sentence in failures if failures != reported else ():
            report(sentence)
        reported = failures


def observe_once(database_url: str) -> list[str]:
    """Observe the inputs of every followed job once. Return a sentence for each input that could not be asked."""
    try:
        with connect(database_url) as connection:
            return observe_inputs(connection, _followed_jobs(connection), system_clock, has_option=False)
    except psycopg.Error as error:
        return [f"Cannot observe the inputs: {failure_line(error)}"]
    except CoordstreamError as error:  # coordstream.toml is read each time
        return [f"Cannot observe the inputs: {error}"]


def _followed_jobs(connection: Connection) -> list[Job]:
    return [Job(*row) for row in connection.execute(_FOLLOWED).fetchall()]
