"""What a coordinator stream says of its job."""

from eventlog.log import EventLog
from eventlog.partition import SystemStreamPartition
from managers.job_facts import JobFacts
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
