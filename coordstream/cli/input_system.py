"""Connects to the input systems of jobs, and observes how far they reach."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import groupby
from operator import attrgetter
from queue import SimpleQueue
from threading import Event, Thread
from types import TracebackType
from typing import Final, Self

import psycopg

from coordstream.errors import CoordstreamError
from coordstream.settings import load_settings
from eventlog.config import KAFKA_SYSTEM_FACTORY
from eventlog.errors import EventLogError
from eventlog.kafka.options import KafkaOptions, OptionRefused
from eventlog.log import Clock, system_clock
from eventlog.postgres.connection import Connection, connect, failure_line
from eventlog.source import connection_failure
from eventlog.system_admin import BoundedSystemAdmin
from projections.input_bounds import BoundsOfSystem, delete_old_bounds, input_partitions, store_bounds
from projections.job_choice import Job

REACH_SECONDS: Final = 2.0
"""How long to wait for a connection to one of an input's brokers."""

Config = Mapping[str, str]

_CONFIG: Final = """
select config_key, config_value from coordinator.config
where job_name = %s and job_id = %s
  and (config_key like 'systems.%%' or config_key in ('job.coordinator.system', 'job.default.system'))
"""
_FOLLOWED: Final = """
select distinct job_name, job_id from coordinator.log_position
where state in ('live', 'catching-up', 'replacing') order by 1, 2
"""
_STOP_SECONDS: Final = 5.0


class InputUnknown(EventLogError):
    """An input system cannot be reached."""


def read_input_config(connection: Connection, job: Job) -> Config:
    """What a job's config says about its systems."""
    return dict(connection.execute(_CONFIG, tuple(job)).fetchall())


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


class OpenInputs:
    """The input systems of many jobs: a cluster is connected to once, and not again if it does not answer.

    A context manager.
    """

    def __init__(self) -> None:
        self._opened = ExitStack()
        self._known: dict[KafkaOptions, BoundedSystemAdmin | InputUnknown] = {}

    def admin(self, config: Config, system: str, given_servers: str | None = None) -> BoundedSystemAdmin:
        """The admin of a job's system. Raises as `open_input`."""
        options = input_options(config, system, given_servers)
        if options not in self._known:
            try:
                self._known[options] = self._opened.enter_context(open_input(config, system, given_servers))
            except InputUnknown as error:
                self._known[options] = error
        known = self._known[options]
        if isinstance(known, InputUnknown):
            raise known
        return known

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._opened.close()


def input_options(config: Config, system: str, given_servers: str | None) -> KafkaOptions:
    """The addresses and credentials for the brokers of an input. Raises as `open_input`, without connecting."""
    own = load_settings().kafka
    if given_servers is not None:
        given = KafkaOptions.parse(given_servers)
        return given if own is None else KafkaOptions(given.bootstrap_servers, own.client_options)
    configured = _configured_brokers(config, system)
    if configured is None:
        if own is None or not _has_own_streams(config, system):
            raise InputUnknown(
                f"The job's config has no brokers for system {system}. Use --input-bootstrap-servers, or set "
                f"systems.{system}.consumer.bootstrap.servers with `coordstream config set`."
            )
        return own
    return own if own is not None and configured.bootstrap_servers == own.bootstrap_servers else configured


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


def observe_inputs(
    connection: Connection, jobs: Iterable[Job], clock: Clock, given_servers: str | None = None
) -> list[str]:
    """Store how far the inputs of jobs reach, and delete old answers. Return a sentence for each input that failed."""
    delete_old_bounds(connection, clock())
    with OpenInputs() as inputs:
        return [
            f"Cannot ask the inputs of {job}: {system}: {error}"
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
    """Observe the inputs of every followed job once. Return a sentence for each input that could not be asked."""
    try:
        with connect(database_url) as connection:
            jobs = [Job(*row) for row in connection.execute(_FOLLOWED).fetchall()]
            return observe_inputs(connection, jobs, system_clock)
    except psycopg.Error as error:
        return [f"Cannot observe the inputs: {failure_line(error)}"]
    except CoordstreamError as error:  # coordstream.toml is read each time
        return [f"Cannot observe the inputs: {error}"]
