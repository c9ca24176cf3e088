"""A job's config and tasks, and the changelogs of its stores."""

import pytest

from eventlog.errors import ConfigError
from eventlog.log import EventLog
from eventlog.partition import SystemStreamPartition
from managers.job_facts import (
    TRANSACTIONAL_RESTORE,
    JobFacts,
    StoreChangelog,
    changelog_of,
    changelogs,
    delete_retention_ms,
    min_compaction_lag_ms,
)
from managers.stream_creation import replication_factor, topic_settings
from tests.builders import (
    changelog_set,
    config_deleted,
    config_set,
    raw,
    set_checkpoint,
    task_container,
    task_mode,
    task_partition,
)

COUNTS = StoreChangelog("counts", "kafka", "counts-changelog")
CONFIG = {"stores.counts.changelog": "kafka.counts-changelog"}


def test_the_system_is_a_prefix_or_another_key() -> None:
    short = {"stores.s.changelog": " log "}
    assert changelog_of({"stores.s.changelog": "other.a.b", "job.changelog.system": "kafka"}, "s") == "other.a.b"
    assert changelog_of({**short, "job.changelog.system": "x", "job.default.system": "y"}, "s") == "x.log"
    assert changelog_of({**short, "job.default.system": "y"}, "s") == "y.log"
    assert changelog_of(short, "s") == "log"
    assert changelog_of({"stores.s.changelog": " "}, "s") is changelog_of({}, "s") is None


def test_each_run_of_a_batch_job_has_changelogs() -> None:
    batch = {**CONFIG, "app.mode": "batch", "app.run.id": "run-id"}
    (changelog,) = changelogs(batch)
    assert changelog == StoreChangelog("counts", "kafka", "counts-changelog-run-id")


def test_stores_without_a_changelog_are_omitted() -> None:
    config = {
        **CONFIG,
        "stores.none.factory": "f",
        "stores.empty.changelog": "",
        "stores.a.changelog": "s.a.b",
        "stores.b.changelog": "nowhere",
    }
    assert list(changelogs(config)) == [StoreChangelog("a", "s", "a.b"), StoreChangelog("b", None, "nowhere"), COUNTS]


COMPACTED = {
    "cleanup.policy": "compact",
    "delete.retention.ms": "86400000",
    "max.message.bytes": "1000012",
    "min.compaction.lag.ms": "14400000",
    "segment.bytes": "536870912",
}
"""The settings with which Samza 1.8.0 created the changelog of the recorded job."""


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
    with pytest.raises(ConfigError, match=r"^stores.counts.changelog.replication.factor is 'many'. Expected an int"):
        replication_factor(config, COUNTS)


@pytest.mark.parametrize(
    ("key", "value", "changed"),
    [
        ("task.transactional.state.restore.enabled", "false", {"min.compaction.lag.ms": None}),
        ("task.async.commit", "true", {"min.compaction.lag.ms": None}),
        ("job.standbytasks.replication.factor", "2", {"min.compaction.lag.ms": None}),
        ("stores.default.changelog.min.compaction.lag.ms", "7", {"min.compaction.lag.ms": "7"}),
        ("stores.counts.changelog.min.compaction.lag.ms", "8", {"min.compaction.lag.ms": "8"}),
        ("stores.counts.changelog.delete.retention.ms", "9", {"delete.retention.ms": "9"}),
        ("systems.kafka.default.stream.max.message.bytes", "10", {"max.message.bytes": "10"}),
        ("stores.counts.changelog.max.message.bytes", "11", {"max.message.bytes": "11"}),
        ("stores.counts.changelog.kafka.segment.bytes", "12", {"segment.bytes": "12"}),
        ("stores.counts.changelog.kafka.retention.bytes", "13", {"retention.bytes": "13"}),
        ("stores.other.changelog.kafka.segment.bytes", "14", {}),
        ("stores.counts.rocksdb.ttl.ms", "-1", {}),
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


def test_a_restore_uses_the_retention_of_the_topic() -> None:
    of_store = "stores.counts.changelog"
    config = {**CONFIG, f"{of_store}.delete.retention.ms": "9", f"{of_store}.kafka.delete.retention.ms": "8"}
    assert topic_settings(config, COUNTS)["delete.retention.ms"] == "8"
    assert delete_retention_ms(config, "counts") == 8
    assert delete_retention_ms(config, "other") == 86_400_000


def test_an_override_of_the_compaction_lag_is_refused() -> None:
    config = {**CONFIG, "stores.counts.changelog.kafka.min.compaction.lag.ms": "7"}
    expected = "kafka.min.compaction.lag.ms is not supported, as in Samza. Use stores.counts.changelog.min.compaction"
    with pytest.raises(ConfigError, match=expected):
        topic_settings(config, COUNTS)
    with pytest.raises(ConfigError, match=expected):
        min_compaction_lag_ms(config, "counts")
    assert topic_settings({**config, TRANSACTIONAL_RESTORE: "false"}, COUNTS)["min.compaction.lag.ms"] == "7"


def test_config_and_tasks_are_read(coordinator_log: EventLog) -> None:
    coordinator_log.append(
        [
            config_set("a", "1"),
            config_set("a", "2"),
            config_set("gone"),
            config_deleted("gone"),
            raw(config_set("a").key, b"{bad"),
            changelog_set("of changelog"),
            task_container("of container"),
            task_mode("of mode"),
            task_mode("Standby-of mode-0", "Standby"),
            task_container("Standby-of mode-0"),
            task_partition("kafka.in.0", "of partition", "of another"),
            set_checkpoint("of checkpoint"),
        ]
    )
    facts = JobFacts.read(coordinator_log)
    assert facts.config == {"a": "2"}
    assert facts.task_names == {
        "of changelog",
        "of container",
        "of mode",
        "of partition",
        "of another",
        "of checkpoint",
    }


def test_changelogs_are_known_by_config_and_by_their_offsets() -> None:
    config = {
        "job.changelog.system": "kafka",
        "stores.counts.changelog": "counts-log",
        "stores.x.changelog": "other.x-log",
        "stores.x.factory": "f",
    }
    facts = JobFacts(config, frozenset())
    assert facts.changelogs == {"kafka.counts-log", "other.x-log"}
    assert facts.is_state(SystemStreamPartition("kafka", "counts-log", 3), None)
    assert facts.is_state(SystemStreamPartition("kafka", "unknown", 3), "1795251947372-753329:17")
    assert not facts.is_state(SystemStreamPartition("kafka", "in", 3), "17")
    assert not facts.is_state(SystemStreamPartition("kafka", "in", 3), None)
