"""Connects to the input systems of jobs."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from queue import SimpleQueue
from threading import Thread
from typing import Final

from coordstream.settings import load_settings
from eventlog.config import KAFKA_SYSTEM_FACTORY
from eventlog.errors import EventLogError
from eventlog.kafka.options import KafkaOptions, OptionRefused
from eventlog.postgres.connection import Connection
from eventlog.source import connection_failure
from eventlog.system_admin import BoundedSystemAdmin
from projections.job_choice import Job

REACH_SECONDS: Final = 2.0
"""How long to wait for a connection to one of an input's brokers."""

Config = Mapping[str, str]

_CONFIG: Final = """
select j.job_name, j.job_id, c.config_key, c.config_value
from unnest(%s::text[], %s::text[]) w(job_name, job_id)
join projection.current_job j using (job_name, job_id)
cross join lateral projection.config_state(j.coordinator_log, null, null) c
where c.config_key like 'systems.%%' or c.config_key in ('job.coordinator.system', 'job.default.system')
"""


class InputUnknown(EventLogError):
    """An input system cannot be reached."""


def read_input_config(connection: Connection, job: Job) -> Config:
    """What a job's config says about its systems."""
    return read_input_configs(connection, [job])[job]


def read_input_configs(connection: Connection, jobs: Sequence[Job]) -> Mapping[Job, Config]:
    """What the config of each job says about its systems."""
    found: dict[Job, dict[str, str]] = {job: {} for job in jobs}
    of_jobs = [job.name for job in jobs], [job.id for job in jobs]
    for name, job_id, key, value in connection.execute(_CONFIG, of_jobs).fetchall():
        found[Job(name, job_id)][key] = value
    return found


def is_kafka(config: Config, system: str) -> bool:
    """Whether a system is Kafka, as is assumed where the job's config does not say."""
    return config.get(f"systems.{system}.samza.factory", KAFKA_SYSTEM_FACTORY) == KAFKA_SYSTEM_FACTORY


@contextmanager
def open_input(config: Config, system: str, given_servers: str | None = None) -> Iterator[BoundedSystemAdmin]:
    """Connect to an input system, by the job's name for it.

    Its brokers are ``given_servers``, or else those of the job's config. If that has none, the system of the job's own
    streams has the brokers of the settings. Credentials (``COORDSTREAM_KAFKA_OPTIONS``) are sent only to brokers that
    the user has named.

    Raises:
        InputUnknown: The system is not Kafka, its brokers are unknown, or none of them answers.
    """
    options = input_options(config, system, given_servers)
    require_answer(options)
    from eventlog.kafka.system_admin import KafkaSystemAdmin  # noqa: PLC0415 (loads kafka-python)

    with KafkaSystemAdmin(options) as admin:
        yield admin


class OpenInputs(ExitStack):
    """The input systems of many jobs: a cluster is connected to once, and not again if it does not answer."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[KafkaOptions, BoundedSystemAdmin | InputUnknown] = {}

    def admin(self, config: Config, system: str, given_servers: str | None = None) -> BoundedSystemAdmin:
        """The admin of a job's system. Raises as `open_input`."""
        options = input_options(config, system, given_servers)
        if options not in self._known:
            try:
                self._known[options] = self.enter_context(open_input(config, system, given_servers))
            except InputUnknown as error:
                self._known[options] = error
        known = self._known[options]
        if isinstance(known, InputUnknown):
            raise known
        return known


def input_options(config: Config, system: str, given_servers: str | None) -> KafkaOptions:
    """The addresses and credentials for the brokers of an input. Raises as `open_input`, without connecting."""
    own = load_settings().kafka
    if given_servers is not None:
        given = KafkaOptions.parse(given_servers)
        return given if own is None else replace(own, bootstrap_servers=given.bootstrap_servers)
    configured = _configured_brokers(config, system)
    if configured is None:
        if own is None or not _has_own_streams(config, system):
            raise InputUnknown(
                f"The job's config has no brokers for system {system}. Use --input-bootstrap-servers, or set "
                f"systems.{system}.consumer.bootstrap.servers with `coordstream config set`."
            )
        return own
    if own is None or configured.bootstrap_servers == own.bootstrap_servers:
        return own or configured
    return replace(configured, max_batch_bytes=own.max_batch_bytes)


def _has_own_streams(config: Config, system: str) -> bool:
    """Whether a system has the job's own streams, as is assumed where the job's config does not say."""
    return system == (config.get("job.coordinator.system") or config.get("job.default.system") or system)


def _configured_brokers(config: Config, system: str) -> KafkaOptions | None:
    if not is_kafka(config, system):
        raise InputUnknown(f"System {system} is not Kafka. Only Kafka inputs are supported.")
    for user in ("consumer", "producer"):
        key = f"systems.{system}.{user}.bootstrap.servers"
        try:
            if config.get(key):
                return KafkaOptions.parse(config[key])
        except OptionRefused:  # the value may contain a password
            raise InputUnknown(
                f"Invalid value of {key} in the job's config. Expected a comma-separated list of host:port. "
                "Correct it with `coordstream config set`."
            ) from None
    return None


def require_answer(options: KafkaOptions) -> None:
    """Raise `InputUnknown` if no broker accepts a connection within seconds; all are asked at once."""
    answers: SimpleQueue[bool] = SimpleQueue()
    servers = options.bootstrap_servers.split(",")
    for server in servers:
        Thread(target=lambda server=server: answers.put(_answers(server)), daemon=True).start()
    if not any(answers.get() for _ in servers):
        raise InputUnknown(
            f"No broker answers at {options.bootstrap_servers}. Check that it runs and can be reached, name others "
            "with --input-bootstrap-servers, or correct the brokers in the job's config."
        )


def _answers(server: str) -> bool:
    host, _, port = server.rpartition(":")
    return not connection_failure(host, int(port), REACH_SECONDS)
