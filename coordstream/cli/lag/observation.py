"""Asks the input systems of jobs how far their partitions reach, and stores the answers."""

from itertools import groupby
from operator import attrgetter
from typing import Final

from coordstream.cli.input_system import Config, open_input
from coordstream.cli.job.lookup import Job
from coordstream.settings import load_settings
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
            with open_input(config, system, given_servers or _own_servers(config, system)) as admin:
                streams = dict.fromkeys(one.stream_name for one in partitions)
                answers.append(BoundsOfSystem(system, admin.get_bounds(streams)))
        except EventLogError as error:
            failures.append(f"{system}: {error}")
    store_bounds(connection, *job, wanted, answers, observed_at)
    return failures


def _own_servers(config: Config, system: str) -> str | None:
    """The brokers of the settings for a system that has none in the job's config and that has the job's own streams.

    None: use the brokers in the config.
    """
    kafka = load_settings().kafka
    has_servers = any(config.get(f"systems.{system}.{user}.bootstrap.servers") for user in ("consumer", "producer"))
    own_system = config.get("job.coordinator.system") or config.get("job.default.system") or system
    return None if kafka is None or has_servers or system != own_system else kafka.bootstrap_servers
