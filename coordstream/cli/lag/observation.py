"""Asks the input systems of jobs how far their partitions reach, and stores the answers."""

from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter

from coordstream.cli.input_system import InputUnknown, OpenInputs, read_input_config
from eventlog.errors import EventLogError
from eventlog.log import Clock
from eventlog.postgres.connection import Connection
from projections.input_bounds import BoundsOfSystem, delete_old_bounds, input_partitions, store_bounds
from projections.job_choice import Job


def observe_inputs(
    connection: Connection,
    jobs: Iterable[Job],
    clock: Clock,
    given_servers: str | None = None,
    *,
    has_option: bool = True,
) -> list[str]:
    """Observe the inputs of jobs once, and delete old observations. Return a sentence for each input that failed.

    ``has_option``: the sentences may advise the option --input-bootstrap-servers.
    """
    delete_old_bounds(connection, clock())
    with OpenInputs() as inputs:
        return [
            f"Cannot ask the inputs of {job}: {system}: {_message(error, has_option=has_option)}"
            for job in jobs
            for system, error in _observe(connection, job, clock, inputs, given_servers)
        ]


def _observe(
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


def _message(error: EventLogError, *, has_option: bool) -> str:
    return str(error) if has_option or not isinstance(error, InputUnknown) else error.without_option
