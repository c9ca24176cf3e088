"""The input systems of jobs: their brokers, and how far they reach, observed once or again and again."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from queue import SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING, Final

import psycopg

from coordstream.errors import CoordstreamError
from coordstream.settings import load_settings
from eventlog.config import KAFKA_SYSTEM_FACTORY
from eventlog.errors import EventLogError, by_cause
from eventlog.kafka.options import KafkaOptions, OptionRefused
from eventlog.log import Clock, system_clock
from eventlog.partition import SystemStreamPartition
from eventlog.postgres.connection import Connection, connect, failure_line
from eventlog.source import SourceUnavailable, connection_failure
from eventlog.startpoint import Startpoint
from eventlog.system_admin import PartitionBounds, ResolvedStartpoint
from projections.input_bounds import delete_old_bounds, input_partitions, store_bounds
from projections.job_choice import Job

if TYPE_CHECKING:
    from eventlog.kafka.system_admin import KafkaSystemAdmin

REACH_SECONDS: Final = 2.0
"""How long to wait for a connection to one of an input's brokers."""

Config = Mapping[str, str]
Bounds = Mapping[SystemStreamPartition, PartitionBounds]
Resolved = Mapping[SystemStreamPartition, ResolvedStartpoint]

_CONFIG: Final = """
select j.job_name, j.job_id, c.config_key, c.config_value
from unnest(%s::text[], %s::text[]) w(job_name, job_id)
join projection.current_job j using (job_name, job_id)
join projection.config c on c.log_id = j.coordinator_log
where c.config_key like 'systems.%%' or c.config_key in ('job.coordinator.system', 'job.default.system')
"""


class InputUnknown(EventLogError):
    """An input system cannot be reached."""


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


class OpenInputs(ExitStack):
    """The input systems of many jobs: a cluster is connected to once, and not again if it does not answer.

    ``reads_committed``: partitions end before their first open transaction, instead of after it as for Samza.
    """

    def __init__(self, *, reads_committed: bool = False) -> None:
        super().__init__()
        self._reads_committed = reads_committed
        self._known: dict[KafkaOptions, KafkaSystemAdmin | InputUnknown] = {}

    def admin(self, config: Config, system: str, given_servers: str | None = None) -> "KafkaSystemAdmin":
        """Connect to an input system, by the job's name for it.

        Its brokers are ``given_servers``, or else those of the job's config. If that has none, the system of the job's
        own streams has the brokers of the settings. Credentials (``COORDSTREAM_KAFKA_OPTIONS``) are sent only to
        brokers that the user has named.

        Raises `InputUnknown`: the system is not Kafka, its brokers are unknown, or none of them answers.
        """
        options = input_options(config, system, given_servers)
        if options not in self._known:
            try:
                require_answer(options)
                from eventlog.kafka import system_admin  # noqa: PLC0415 (loads kafka-python)

                kind = system_admin.CommittedSystemAdmin if self._reads_committed else system_admin.KafkaSystemAdmin
                self._known[options] = self.enter_context(kind(options))
            except InputUnknown as error:
                self._known[options] = error
        known = self._known[options]
        if isinstance(known, InputUnknown):
            raise known
        return known


class JobInputs(OpenInputs):
    """The input systems of a job. ``servers`` override the brokers in its config. Methods raise as `admin`."""

    def __init__(self, config: Config, servers: str | None) -> None:
        super().__init__()
        self._config, self._servers = config, servers

    def bounds(self, streams: Collection[tuple[str, str]]) -> Bounds:
        """How far each partition of these streams reaches; streams that their system does not have are left out."""
        return {
            SystemStreamPartition(system, each.stream_name, each.partition): each
            for system in sorted({system for system, _ in streams})
            for each in self.admin(self._config, system, self._servers).get_bounds(
                sorted({stream for one, stream in streams if one == system})
            )
        }

    def resolve(self, startpoints: Mapping[SystemStreamPartition, Startpoint]) -> Resolved:
        """The first offset to read for each startpoint, in partitions that the inputs have."""
        found: dict[SystemStreamPartition, ResolvedStartpoint] = {}
        for system in sorted({partition.system for partition in startpoints}):
            asked = {each: startpoint for each, startpoint in startpoints.items() if each.system == system}
            answers = self.admin(self._config, system, self._servers).resolve_startpoints(asked)
            found |= {each: answer for each, answer in answers.items() if answer is not None}
        return found


def input_options(config: Config, system: str, given_servers: str | None) -> KafkaOptions:
    """The addresses and credentials for the brokers of an input. Raises as `OpenInputs.admin`, without connecting."""
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
        key = f"systems.{system}.samza.factory"
        raise InputUnknown(f"{key} is {config[key]!r}. Only Kafka inputs are supported.")
    for user in ("consumer", "producer"):
        key = f"systems.{system}.{user}.bootstrap.servers"
        try:
            if config.get(key):
                return KafkaOptions.parse(config[key])
        except OptionRefused as error:
            raise InputUnknown(f"{error} Correct {key} of the job with `coordstream config set`.") from None
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
        clusters: defaultdict[KafkaSystemAdmin, set[str]] = defaultdict(set)
        for job in jobs:
            for system, names in streams[job].items():
                with suppress(InputUnknown):  # is raised again below
                    clusters[inputs.admin(configs[job], system, given_servers)] |= names
        found = {admin: _ask(admin, names) for admin, names in clusters.items()}
        for job in jobs:
            answers: dict[str, list[PartitionBounds]] = {}
            for system, names in streams[job].items():
                try:
                    of_cluster = found[inputs.admin(configs[job], system, given_servers)]
                    answers[system] = _bounds(of_cluster[name] for name in sorted(names))
                except EventLogError as error:
                    failures.append((str(job), f"Cannot ask the inputs of {job}: {system}: {error}"))
            store_bounds(connection, *job, wanted[job], answers, observed_at)
    return failures


def _streams_by_system(partitions: Iterable[SystemStreamPartition]) -> dict[str, set[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for one in partitions:
        found[one.system].add(one.stream)
    return found


def _ask(admin: "KafkaSystemAdmin", names: Collection[str]) -> dict[str, Answer]:
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
