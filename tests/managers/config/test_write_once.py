"""Write-once settings."""

import pytest

from managers.config.job_config import DEFAULTS, write_once_changes

GROUPER = "job.systemstreampartition.grouper.factory"
STORE = {"stores.s.factory": "RocksDb", "stores.s.changelog": "kafka.log"}
STARTED = {"job.name": "orders"}


@pytest.mark.parametrize("key", DEFAULTS)
def test_groupers_are_write_once(key: str) -> None:
    assert write_once_changes({**STARTED, key: "X"}, {**STARTED, key: "X"}) == []
    assert write_once_changes({key: "X"}, {key: "Y"}) == [(key, "X", "Y")]
    assert write_once_changes(STARTED, {**STARTED, key: "X"}) == [(key, DEFAULTS[key], "X")]
    assert write_once_changes({**STARTED, key: "X"}, STARTED) == [(key, "X", DEFAULTS[key])]
    assert write_once_changes(STARTED, {**STARTED, key: DEFAULTS[key]}) == []


def test_before_the_first_start_everything_can_be_set() -> None:
    assert write_once_changes({}, {**STARTED, GROUPER: "X"}) == []
    assert write_once_changes({"a": "1"}, {**STARTED, GROUPER: "X"}) == []


def test_the_changelog_of_a_store_is_write_once() -> None:
    moved = {**STORE, "stores.s.changelog": "kafka.other"}
    assert write_once_changes(STORE, STORE) == []
    assert write_once_changes(STORE, moved) == [("stores.s.changelog", "kafka.log", "kafka.other")]
    without = {"stores.s.factory": "RocksDb"}
    assert write_once_changes(STORE, without) == [("stores.s.changelog", "kafka.log", None)]


def test_another_run_of_a_batch_job_keeps_the_changelog_setting() -> None:
    first, second = ({**STORE, "app.mode": "BATCH", "app.run.id": run} for run in ("run-1", "run-2"))
    assert write_once_changes(first, second) == []


def test_stores_and_changelogs_can_be_added_and_stores_removed() -> None:
    assert write_once_changes({"stores.s.factory": "RocksDb"}, STORE) == []
    assert write_once_changes({**STORE, "stores.s.changelog": ""}, STORE) == []
    assert write_once_changes({}, STORE) == []
    assert write_once_changes(STORE, {"stores.other.factory": "RocksDb"}) == []


@pytest.mark.parametrize("system", ["job.changelog.system", "job.default.system"])
def test_the_system_of_a_changelog_can_move_to_another_key(system: str) -> None:
    short = {"stores.s.changelog": "log", system: "kafka"}
    assert write_once_changes(STORE, short) == []
    assert write_once_changes(short, {**short, system: "other"}) == [("stores.s.changelog", "kafka.log", "other.log")]
    assert write_once_changes({"stores.s.changelog": "log"}, short) == [("stores.s.changelog", "log", "kafka.log")]
