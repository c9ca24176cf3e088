"""Creating the changelogs of a job's stores."""

from collections.abc import Mapping

import pytest

from eventlog.errors import ConfigError
from eventlog.kafka.admin import KafkaAdmin
from eventlog.kafka.options import KafkaOptions
from eventlog.log import LogExists
from managers.assignments.changelog_partition_manager import ChangelogStream, create_changelog_streams
from managers.assignments.changelogs import ChangelogError
from managers.job_models.job_model import ContainerModel, JobModel, TaskModel
from tests.fixtures.kafka_topics import Topics

CONFIG = {
    "stores.store0.factory": "f",
    "stores.store0.changelog": "system.stream",
    "stores.store0.accesslog.enabled": "true",
    "stores.store1.factory": "f",
}


class NotedTopics:
    """Records the calls in order; ``partitions`` of each topic are preset."""

    def __init__(self, **partitions: int) -> None:
        self.partitions = partitions
        self.calls: list[str] = []

    def create_topic(self, name: str, *, partitions: int, replication_factor: int, settings: Mapping[str, str]) -> None:
        policy = settings.get("cleanup.policy", "the broker's")
        self.calls.append(f"create {name}: {partitions} partitions, {replication_factor} copies, {policy}")
        if name in self.partitions:
            raise LogExists
        self.partitions[name] = partitions

    def partition_count(self, name: str) -> int:
        self.calls.append(f"validate {name}")
        return self.partitions[name]


@pytest.mark.scenario("CLG-13")
def test_each_changelog_is_created_and_checked() -> None:
    system = NotedTopics()
    made = create_changelog_streams(CONFIG, 10, {"system": system, "other": NotedTopics()})
    assert made == (
        ChangelogStream("store0", "system", "stream", is_new=True),
        ChangelogStream("store0", "system", "stream-access-log", is_new=True),
    )
    assert system.calls == [
        "create stream: 10 partitions, 2 copies, compact",
        "validate stream",
        "create stream-access-log: 10 partitions, 2 copies, the broker's",
        "validate stream-access-log",
    ]


@pytest.mark.parametrize(
    ("changelog", "system", "problem"),
    [
        ("elsewhere.log", "elsewhere", "is 'elsewhere', which has no admin"),
        ("log", None, "is not configured"),
    ],
)
@pytest.mark.scenario("CLG-13")
def test_an_unknown_system_raises_before_anything_is_created(changelog: str, system: str | None, problem: str) -> None:
    known = NotedTopics()
    config = {**CONFIG, "stores.store1.changelog": changelog}
    with pytest.raises(ConfigError, match=f"changelog of store 'store1' {problem}"):
        create_changelog_streams(config, 10, {"system": known})
    assert known.calls == []


@pytest.mark.parametrize("there", [4, 16])
def test_a_wrong_number_of_partitions_is_refused(there: int) -> None:
    topics = NotedTopics(stream=there)
    with pytest.raises(ChangelogError, match=f"stream of store 'store0' has {there} partitions, but .* need 10"):
        create_changelog_streams(CONFIG, 10, {"system": topics})


@pytest.mark.parametrize(
    ("containers", "partitions"),
    [([[0, 2, 4], [1, 3]], 5), ([[7]], 8)],
    ids=["a number a task", "a task with a high number"],
)
@pytest.mark.scenario("CLG-12")
def test_a_changelog_has_a_partition_for_the_highest_number(containers: list[list[int]], partitions: int) -> None:
    tasks = [{str(number): TaskModel(str(number), frozenset(), number) for number in each} for each in containers]
    model = JobModel(CONFIG, {str(at): ContainerModel(str(at), each) for at, each in enumerate(tasks)})
    topics = NotedTopics()
    create_changelog_streams(model.config, model.max_changelog_stream_partitions, {"system": topics})
    assert topics.partitions["stream"] == partitions


@pytest.mark.kafka
@pytest.mark.scenario("CLG-13")
def test_changelogs_on_kafka_have_samzas_settings(kafka_options: KafkaOptions, topics: Topics, job_name: str) -> None:
    name = f"{job_name}-store0-changelog"
    for each in (name, f"{name}-access-log"):
        topics.will_be_made(each)
    config = {
        **CONFIG,
        "stores.store0.changelog": f"system.{name}",
        "systems.system.default.stream.replication.factor": "1",
    }
    with KafkaAdmin(kafka_options) as admin:
        first = create_changelog_streams(config, 3, {"system": admin})
        second = create_changelog_streams(config, 3, {"system": admin})
        with pytest.raises(ChangelogError):
            create_changelog_streams(config, 4, {"system": admin})
        assert admin.partition_count(name) == admin.partition_count(f"{name}-access-log") == 3
    assert [stream.is_new for stream in (*first, *second)] == [True, True, False, False]
    assert topics.settings_of(name) == {
        "cleanup.policy": "compact",
        "delete.retention.ms": "86400000",
        "max.message.bytes": "1000012",
        "min.compaction.lag.ms": "14400000",
        "segment.bytes": "536870912",
    }
