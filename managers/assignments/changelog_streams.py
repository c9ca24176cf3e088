"""Creates the changelogs of a job's stores (ChangelogStreamManager.createChangelogStreams of Samza)."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple, Protocol

from eventlog.log import LogExists
from managers.assignments.changelog_errors import ChangelogMisfit, ChangelogSystemUnknown
from managers.assignments.changelog_topics import replication_factor, topic_settings
from managers.assignments.changelogs import StoreChangelog, access_log_of, changelogs
from managers.job_names import Config


class TopicMaker(Protocol):
    """Creates the streams of one system, like `eventlog.kafka.admin.KafkaAdmin`."""

    def create_topic(self, name: str, *, partitions: int, replication_factor: int, settings: Mapping[str, str]) -> None:
        """Create a topic. Raises `LogExists` if it exists; it is not changed."""

    def partition_count(self, name: str) -> int:
        """The number of partitions of a topic."""


class ChangelogStream(NamedTuple):
    """A store's stream, created or existing."""

    store: str
    system: str
    stream_name: str
    is_new: bool


class _Wanted(NamedTuple):
    admin: TopicMaker
    changelog: StoreChangelog
    stream_name: str
    replication_factor: int
    settings: Mapping[str, str]


def create_changelog_streams(
    config: Config, partitions: int, admins: Mapping[str, TopicMaker]
) -> tuple[ChangelogStream, ...]:
    """Create the changelog of each store, and its access log if it has one, unless they exist.

    ``partitions`` is `JobModel.max_changelog_stream_partitions`. ``admins`` are by the job's names of its systems.

    Raises:
        ChangelogSystemUnknown: a store's system has no admin. Nothing was created.
        ChangelogMisfit: a stream has the wrong number of partitions. Streams before it were created.
        ConfigError: a setting is not an integer, or Samza refuses it. Nothing was created.
    """
    wanted = [stream for changelog in changelogs(config) for stream in _streams(config, changelog, admins)]
    return tuple(_create(stream, partitions) for stream in wanted)


def _admin_of(changelog: StoreChangelog, admins: Mapping[str, TopicMaker]) -> TopicMaker:
    admin = None if changelog.system is None else admins.get(changelog.system)
    if admin is None:
        raise ChangelogSystemUnknown(changelog.store, changelog.system)
    return admin


def _streams(config: Config, changelog: StoreChangelog, admins: Mapping[str, TopicMaker]) -> Iterator[_Wanted]:
    admin, copies = _admin_of(changelog, admins), replication_factor(config, changelog)
    yield _Wanted(admin, changelog, changelog.stream, copies, topic_settings(config, changelog))
    access_log = access_log_of(config, changelog)
    if access_log is not None:
        yield _Wanted(admin, changelog, access_log, copies, {})


def _create(wanted: _Wanted, partitions: int) -> ChangelogStream:
    admin, changelog, name, copies, settings = wanted
    is_new = False
    with suppress(LogExists):
        admin.create_topic(name, partitions=partitions, replication_factor=copies, settings=settings)
        is_new = True
    actual = admin.partition_count(name)
    if actual != partitions:
        raise ChangelogMisfit(changelog.store, name, partitions, actual)
    return ChangelogStream(changelog.store, changelog.system or "", name, is_new)
