"""Observes how far the inputs of jobs reach, once or again and again."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby
from operator import attrgetter
from threading import Event, Thread
from typing import Final

import psycopg

from coordstream.cli.input_system import OpenInputs, read_input_config
from coordstream.errors import CoordstreamError
from coordstream.queries.faults import by_cause
from eventlog.errors import EventLogError
from eventlog.log import Clock, system_clock
from eventlog.postgres.connection import Connection, connect, failure_line
from projections.input_bounds import BoundsOfSystem, delete_old_bounds, input_partitions, store_bounds
from projections.job_choice import Job

_FOLLOWED: Final = """
select distinct job_name, job_id from coordinator.log_position
where state in ('live', 'catching-up', 'replacing', 'waiting') order by 1, 2
"""
_STOP_SECONDS: Final = 5.0


def observe_inputs(
    connection: Connection, jobs: Iterable[Job], clock: Clock, given_servers: str | None = None
) -> list[tuple[str, str]]:
    """Store how far the inputs of jobs reach, and delete old answers. Return job and sentence for each that failed."""
    delete_old_bounds(connection, clock())
    with OpenInputs() as inputs:
        return [
            (str(job), f"Cannot ask the inputs of {job}: {system}: {error}")
            for job in jobs
            for system, error in _observe_job(connection, job, clock, inputs, given_servers)
        ]


def _observe_job(
    connection: Connection, job: Job, clock: Clock, inputs: OpenInputs, given_servers: str | None
) -> list[tuple[str, EventLogError]]:
    """Observe the inputs of a job. Return the systems that failed.

    The position of a task is read before the end of its input: the relation `task_lag` compares the newest observation
    with a checkpoint, and counts a checkpoint beyond that end as 0 records behind.
    """
    config = read_input_config(connection, job)
    wanted = input_partitions(connection, *job)
    answers, failures = [], []
    observed_at = clock()
    for system, partitions in groupby(wanted, key=attrgetter("system_name")):
        try:
            admin = inputs.admin(config, system, given_servers)
            streams = dict.fromkeys(one.stream_name for one in partitions)
            answers.append(BoundsOfSystem(system, admin.get_bounds(streams)))
        except EventLogError as error:
            failures.append((system, error))
    store_bounds(connection, *job, wanted, answers, observed_at)
    return failures


@contextmanager
def observing_inputs(database_url: str, seconds: float | None, report: Callable[[str], None]) -> Iterator[None]:
    """Observe the inputs of followed jobs every ``seconds`` in a thread of its own; None: do not.

    A failure never stops the follower. ``report`` gets a sentence when what fails has changed.
    """
    if seconds is None:
        yield
        return
    stop = Event()
    observer = Thread(target=_observe_often, args=(database_url, seconds, report, stop), name="inputs", daemon=True)
    observer.start()
    try:
        yield
    finally:
        stop.set()
        observer.join(_STOP_SECONDS)


def _observe_often(database_url: str, seconds: float, report: Callable[[str], None], stop: Event) -> None:
    reported: list[str] = []
    while not stop.wait(seconds):
        failures = observe_once(database_url)
        for sentence in failures if failures != reported else ():
            report(sentence)
        reported = failures


def observe_once(database_url: str) -> list[str]:
    """Observe the inputs of every followed job once. Return a sentence for each cause why inputs could not be asked."""
    try:
        with connect(database_url) as connection:
            jobs = [Job(*row) for row in connection.execute(_FOLLOWED).fetchall()]
            return by_cause(observe_inputs(connection, jobs, system_clock))
    except psycopg.Error as error:
        return [f"Cannot observe the inputs: {failure_line(error)}"]
    except CoordstreamError as error:  # coordstream.toml is read each time
        return [f"Cannot observe the inputs: {error}"]
