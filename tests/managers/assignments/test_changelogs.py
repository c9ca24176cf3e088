"""The changelogs of a job's stores."""

import pytest

from eventlog.errors import ConfigError
from eventlog.partition import SystemStreamPartition
from managers.assignments.changelogs import (
    StoreChangelog,
    access_log_of,
    assign_changelog_partitions,
    changelog_of,
    changelog_ssps,
    changelogs,
    replication_factor,
    store_of,
    topic_settings,
)
from managers.job_models.job_model import TaskModel

COUNTS = StoreChangelog("counts", "kafka", "counts-changelog")
CONFIG = {"stores.counts.changelog": "kafka.counts-changelog"}
COMPACTED = {
    "cleanup.policy": "compact",
    "delete.retention.ms": "86400000",
    "max.message.bytes": "1000012",
    "min.compaction.lag.ms": "14400000",
    "segment.bytes": "536870912",
}
"""The settings with which Samza 1.8.0 created the changelog of the recorded job."""


def test_a_key_names_a_stores_changelog() -> None:
    assert store_of("stores.a.b.changelog") == "a.b"
    assert [store_of(key) for key in ("stores.a.factory", "stores.changelog", "stores.a.changelog.kafka.x")] == [
        None
    ] * 3


def test_the_system_is_a_prefix_or_another_key() -> None:
    short = {"stores.s.changelog": " log "}
    assert changelog_of({"stores.s.changelog": "other.a.b", "job.changelog.system": "kafka"}, "s") == "other.a.b"
    assert changelog_of({**short, "job.changelog.system": "x", "job.default.system": "y"}, "s") == "x.log"
    assert changelog_of({**short, "job.default.system": "y"}, "s") == "y.log"
    assert changelog_of(short, "s") == "log"
    assert changelog_of({"stores.s.changelog": " "}, "s") is changelog_of({}, "s") is None


def test_stores_without_a_changelog_are_omitted() -> None:
    config = {
        **CONFIG,
        "stores.none.factory": "f",
        "stores.empty.changelog": "",
        "stores.a.changelog": "s.a.b",
        "stores.b.changelog": "nowhere",
    }
    assert list(changelogs(config)) == [StoreChangelog("a", "s", "a.b"), StoreChangelog("b", None, "nowhere"), COUNTS]


def test_an_access_log_exists_if_enabled() -> None:
    enabled = "stores.counts.accesslog.enabled"
    assert access_log_of({enabled: "True"}, COUNTS) == "counts-changelog-access-log"
    assert access_log_of({enabled: "false"}, COUNTS) is access_log_of({}, COUNTS) is None


def test_the_replication_factor_is_that_of_store_default_or_system() -> None:
    config: dict[str, str] = {}
    for key, copies in (
        ("app.note", 2),
        ("systems.kafka.default.stream.replication.factor", 3),
        ("stores.default.changelog.replication.factor", 4),
        ("stores.counts.changelog.replication.factor", 5),
    ):
        config[key] = str(copies)
        assert replication_factor(config, COUNTS) == copies
    config["stores.counts.changelog.replication.factor"] = "many"
    with pytest.raises(
        ConfigError, match=r"of counts-changelog is '.*', not an integer. Set stores.counts.changelog.rep"
    ):
        replication_factor(config, COUNTS)


def test_a_changelog_is_compacted() -> None:
    assert topic_settings(CONFIG, COUNTS) == COMPACTED


@pytest.mark.parametrize(
    ("key", "value", "changed"),
    [
        ("task.transactional.state.restore.enabled", "false", {"min.compaction.lag.ms": None}),
        ("stores.default.changelog.min.compaction.lag.ms", "7", {"min.compaction.lag.ms": "7"}),
        ("stores.counts.changelog.min.compaction.lag.ms", "8", {"min.compaction.lag.ms": "8"}),
        ("stores.counts.changelog.delete.retention.ms", "9", {"delete.retention.ms": "9"}),
        ("systems.kafka.default.stream.max.message.bytes", "10", {"max.message.bytes": "10"}),
        ("stores.counts.changelog.max.message.bytes", "11", {"max.message.bytes": "11"}),
        ("stores.counts.changelog.kafka.segment.bytes", "12", {"segment.bytes": "12"}),
        ("stores.counts.changelog.kafka.retention.bytes", "13", {"retention.bytes": "13"}),
        ("stores.other.changelog.kafka.segment.bytes", "14", {}),
    ],
)
def test_a_setting_changes_one_thing(key: str, value: str, changed: dict[str, str | None]) -> None:
    expected = {name: set_to for name, set_to in {**COMPACTED, **changed}.items() if set_to is not None}
    assert topic_settings({**CONFIG, key: value}, COUNTS) == expected


def test_entries_that_expire_are_deleted_from_the_changelog() -> None:
    expiring = {**CONFIG, "stores.counts.rocksdb.ttl.ms": "3600000"}
    of_kafka = "stores.counts.changelog.kafka"
    kept = {name: COMPACTED[name] for name in ("delete.retention.ms", "min.compaction.lag.ms", "segment.bytes")}
    assert topic_settings(expiring, COUNTS) == {**kept, "cleanup.policy": "delete", "retention.ms": "3600000"}
    longer = topic_settings({**expiring, f"{of_kafka}.retention.ms": "7200000"}, COUNTS)
    assert longer == {**kept, "cleanup.policy": "delete", "retention.ms": "7200000"}
    chosen = topic_settings({**expiring, f"{of_kafka}.cleanup.policy": "compact"}, COUNTS)
    assert chosen == {**kept, "cleanup.policy": "compact"}


def test_a_new_task_has_the_number_after_the_greatest() -> None:
    numbers = assign_changelog_partitions(["Partition 2", "Partition 1", "Partition 0"], {"Partition 0": 4})
    assert numbers == {"Partition 0": 4, "Partition 1": 5, "Partition 2": 6}


def test_the_first_number_is_0() -> None:
    assert assign_changelog_partitions(["a", "b"], {}) == {"a": 0, "b": 1}


def test_numbers_stay_as_they_are() -> None:
    numbers = assign_changelog_partitions([f"Partition {at}" for at in range(4)], {"Partition 0": 1, "Partition 1": 0})
    assert numbers == {"Partition 0": 1, "Partition 1": 0, "Partition 2": 2, "Partition 3": 3}


def test_new_tasks_are_numbered_by_name() -> None:
    numbers = assign_changelog_partitions([f"Partition {at}" for at in range(12)], {})
    assert numbers["Partition 10"] == 2
    assert numbers["Partition 2"] == 4
    assert list(numbers.values()) == list(range(12))


def test_the_number_of_a_removed_task_is_not_reused() -> None:
    assert assign_changelog_partitions(["new"], {"gone": 7}) == {"new": 8}


@pytest.mark.scenario("SCM-11")
def test_the_partitions_of_changelogs_are_those_of_the_tasks() -> None:
    tasks = [TaskModel(f"Partition {number}", frozenset(), number + 10) for number in range(2)]
    config = {f"stores.store{number}.changelog": f"system{number}.store{number}-changelog" for number in range(2)}
    assert changelog_ssps(config, tasks) == {
        SystemStreamPartition(f"system{store}", f"store{store}-changelog", partition)
        for store in range(2)
        for partition in (10, 11)
    }
    assert changelog_ssps({"stores.store0.factory": "F"}, tasks) == frozenset()
