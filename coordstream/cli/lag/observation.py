"""Asks the input systems of jobs how far their partitions reach, and stores the answers."""

from itertools import groupby
from operator import attrgetter
from typing import Final

from coordstream.cli.input_system import Config, open_input, own_servers
from coordstream.cli.job.lookup import Job
from eventlog.errors import EventLogError
from eventlog.log import Clock
from eventlog.postgres.connection import Connection
from projections.input_bounds import BoundsOfSystem, input_partitions, store_bounds

_CONFIG: Final = """
select config_key, config_value from coordinator.config
where job_name = %s and job_id = %s
  and (config_key like 'systems.%%' or config_key in ('job.coordinator.system', 'job.default.system'))
"""


def observe_inputs(connection: Connection, job: Job, clock: Clock, given_servers: str | None = None) -> list[str]:
    """Observe the inputs of a job once. Return a sentence for each system that could not be asked.

    The position of a task is read before the end of its input: the relation `task_lag` compares the newest observation
    with a checkpoint, and counts a checkpoint beyond that end as 0 records behind.
    """
    config: Config = dict(connection.execute(_CONFIG, tuple(job)).fetchall())
    wanted = input_partitions(connection, *job)
    answers, failures = [], []
    observed_at = clock()
    for system, partitions in groupby(wanted, key=attrgetter("system_name")):
        try:
            with open_input(config, system, given_servers or own_servers(config, system)) as admin:
                streams = dict.fromkeys(one.stream_name for one in partitions)
                answers.append(BoundsOfSystem(system, admin.get_bounds(streams)))
        except EventLogError as error:
            failures.append(f"{system}: {error}")
    store_bounds(connection, *job, wanted, answers, observed_at)
    return failures
