"""The Kafka clusters of jobs' inputs, each with one connection for all jobs."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Self

from coordstream.cli.bridge.checkpoints import PartitionCheckpoint
from coordstream.cli.input_system import Config, input_options, is_kafka
from eventlog.errors import EventLogError
from eventlog.kafka.options import KafkaOptions
from eventlog.source import CredentialsRefused, SourceUnavailable

if TYPE_CHECKING:
    from eventlog.kafka.consumer_groups import ConsumerGroups

Failure = str


class Clusters:
    """Connections by address. A cluster that did not answer is not asked again until `retry`. A context manager."""

    def __init__(self) -> None:
        self._opened = ExitStack()
        self._known: dict[KafkaOptions, ConsumerGroups] = {}
        self._silent: dict[KafkaOptions, SourceUnavailable] = {}

    def groups(self, options: KafkaOptions) -> "ConsumerGroups":
        """The groups of a cluster; connects when first used. Raises SourceUnavailable if the cluster did not answer."""
        from eventlog.kafka.consumer_groups import ConsumerGroups  # noqa: PLC0415 (loads kafka-python)

        if options in self._silent:
            raise self._silent[options]
        if options not in self._known:
            self._known[options] = self._opened.enter_context(ConsumerGroups(options))
        return self._known[options]

    def give_up(self, options: KafkaOptions, error: EventLogError) -> None:
        """Remember that a cluster did not answer; other jobs need not wait for it. Other errors are about one group."""
        if isinstance(error, SourceUnavailable) and not isinstance(error, CredentialsRefused):
            self._silent[options] = error

    def retry(self) -> None:
        """Ask every cluster again."""
        self._silent.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._opened.close()


def find_cluster(config: Config, system: str, given_servers: str | None) -> KafkaOptions | Failure:
    """The cluster of a job's system, or a sentence that says why it is unknown."""
    if not is_kafka(config, system):
        return f"System {system} is not Kafka."
    try:
        return input_options(config, system, given_servers)
    except EventLogError as error:
        return str(error)


def by_cluster(
    config: Config, checkpoints: Sequence[PartitionCheckpoint], given_servers: str | None
) -> Mapping[KafkaOptions | Failure, list[PartitionCheckpoint]]:
    """The checkpoints by the cluster of their system, or by the sentence that says why it is unknown."""
    found: dict[KafkaOptions | Failure, list[PartitionCheckpoint]] = {}
    of_system = {
        name: find_cluster(config, name, given_servers)
        for name in dict.fromkeys(one.system_name for one in checkpoints)
    }
    for one in checkpoints:
        found.setdefault(of_system[one.system_name], []).append(one)
    return found
