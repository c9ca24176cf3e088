"""Observes how far the inputs of jobs reach, once or again and again."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Final

import psycopg

from coordstream.cli.input_system import InputUnknown, OpenInputs, read_input_configs
from coordstream.errors import CoordstreamError
from eventlog.errors import EventLogError, by_cause
from eventlog.log import Clock, system_clock
from eventlog.postgres.connection import Connection, connect, failure_line
from eventlog.source import SourceUnavailable
from eventlog.system_admin import BoundedSystemAdmin, PartitionBounds
from projections.input_bounds import BoundsOfSystem, InputPartition, delete_old_bounds, input_partitions, store_bounds
from projections.job_choice import Job

Answer = list[PartitionBounds] | EventLogError
"""The bounds of a stream's partitions, or why they are unknown."""

_FOLLOWED: Final = """
select distinct job_name, job_id from coordinator.log_position
where state in ('live', 'catching-up', 'replacing', 'waiting') order by 1, 2
"""
_STOP_SECONDS: Final = 5.0


def observe_inputs(
    connection: Connection, jobs: Sequence[Job], clock: Clock, given_servers: str | None = None
) -> list[tuple[str, str]]:
    """Store how far the inputs of jobs reach, and delete old answers. Return job and sentence for each that failed.

    The positions of tasks are read before the ends of their inputs: the relation `task_lag` compares the newest
    observation with a checkpoint, and counts a checkpoint beyond that end as 0 records behind.
    """
    delete_old_bounds(connection, clock())
    configs, wanted, observed_at = read_input_configs(connection, jobs), input_partitions(connection, jobs), clock()
    streams = {job: _streams_by_system(wanted[job]) for job in jobs}
    failures = []
    with OpenInputs() as inputs:
        clusters: defaultdict[BoundedSystemAdmin, set[str]] = defaultdict(set)
        for job in jobs:
            for system, names in streams[job].items():
                with suppress(InputUnknown):  # is raised again below
                    clusters[inputs.admin(configs[job], system, given_servers)] |= names
        found = {admin: _ask(admin, names) for admin, names in clusters.items()}
        for job in jobs:
            answers = []
            for system, names in streams[job].items():
                try:
                    of_cluster = found[inputs.admin(configs[job], system, given_servers)]
                    answers.append(BoundsOfSystem(system, _bounds(of_cluster[name] for name in sorted(names))))
                except EventLogError as error:
                    failures.append((str(job), f"Cannot ask the inputs of {job}: {system}: {error}"))
            store_bounds(connection, *job, wanted[job], answers, observed_at)
    return failures


def _streams_by_system(partitions: Iterable[InputPartition]) -> dict[str, set[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for one in partitions:
        found[one.system_name].add(one.stream_name)
    return found


def _ask(admin: BoundedSystemAdmin, names: Collection[str]) -> dict[str, Answer]:
    """The bounds of each stream: asked for at once, and one by one if that fails because of one of them."""
    try:
        known = admin.get_bounds(names)
    except EventLogError as error:
        if len(names) > 1 and type(error) is not SourceUnavailable:
            return {name: answer for each in sorted(names) for name, answer in _ask(admin, [each]).items()}
        return dict.fromkeys(names, error)
    found: dict[str, list[PartitionBounds]] = {name: [] for name in names}
    for each in known:
        found[each.stream_name].append(each)
    return {**found}


def _bounds(answers: Iterable[Answer]) -> list[PartitionBounds]:
    """The bounds of several streams. Raises the error of the first that failed."""
    found: list[PartitionBounds] = []
    for answer in answers:
        if isinstance(answer, EventLogError):
            raise answer
        found += answer
    return found


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
