"""The changelogs of a job's stores."""

import pytest

from eventlog.partition import SystemStreamPartition
from managers.assignments.changelogs import (
    StoreChangelog,
    access_log_of,
    changelog_of,
    changelog_ssps,
    changelogs,
    store_of,
)
from managers.job_models.job_model import TaskModel

COUNTS = StoreChangelog("counts", "kafka", "counts-changelog")
CONFIG = {"stores.counts.changelog": "kafka.counts-changelog"}


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


def test_each_run_of_a_batch_job_has_changelogs() -> None:
    batch = {**CONFIG, "stores.counts.accesslog.enabled": "true", "app.mode": "batch", "app.run.id": "run-id"}
    (changelog,) = changelogs(batch)
    assert changelog == StoreChangelog("counts", "kafka", "counts-changelog-run-id")
    assert access_log_of(batch, changelog) == "counts-changelog-run-id-access-log"


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
