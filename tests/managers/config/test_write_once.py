"""Write-once settings."""

import pytest

from managers.config.job_config import DEFAULTS, write_once_changes

GROUPER = "job.systemstreampartition.grouper.factory"
STORE = {"stores.s.factory": "RocksDb", "stores.s.changelog": "kafka.log"}
STARTED = {"job.name": "orders"}
MOVED = {**STORE, "stores.s.changelog": "kafka.other"}
SHORT = {"stores.s.changelog": "log", "job.changelog.system": "kafka"}
BATCH = {**STORE, "app.mode": "BATCH"}

Config = dict[str, str]


@pytest.mark.parametrize("key", DEFAULTS)
def test_groupers_are_write_once(key: str) -> None:
    assert write_once_changes({**STARTED, key: "X"}, {**STARTED, key: "X"}) == []
    assert write_once_changes({key: "X"}, {key: "Y"}) == [(key, "X", "Y")]
    assert write_once_changes(STARTED, {**STARTED, key: "X"}) == [(key, DEFAULTS[key], "X")]
    assert write_once_changes({**STARTED, key: "X"}, STARTED) == [(key, "X", DEFAULTS[key])]
    assert write_once_changes(STARTED, {**STARTED, key: DEFAULTS[key]}) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param({}, {**STARTED, GROUPER: "X"}, id="before the first start"),
        pytest.param({"a": "1"}, {**STARTED, GROUPER: "X"}, id="without a job.name"),
        pytest.param({**BATCH, "app.run.id": "1"}, {**BATCH, "app.run.id": "2"}, id="another run of a batch job"),
        pytest.param({"stores.s.factory": "RocksDb"}, STORE, id="a changelog is added"),
        pytest.param({}, STORE, id="a store is added"),
        pytest.param(STORE, {"stores.other.factory": "RocksDb"}, id="a store is removed"),
        pytest.param(STORE, SHORT, id="the system moves to a key of its own"),
        pytest.param(
            STORE, {"stores.s.changelog": "log", "job.default.system": "kafka"}, id="the system is the default one"
        ),
    ],
)
def test_other_settings_may_change(old: Config, new: Config) -> None:
    assert write_once_changes(old, new) == []


@pytest.mark.parametrize(
    ("old", "new", "changelogs"),
    [
        (STORE, MOVED, ("kafka.log", "kafka.other")),
        (STORE, {"stores.s.factory": "RocksDb"}, ("kafka.log", None)),
        (SHORT, {**SHORT, "job.changelog.system": "other"}, ("kafka.log", "other.log")),
        ({"stores.s.changelog": "log"}, SHORT, ("log", "kafka.log")),
    ],
)
def test_the_changelog_of_a_store_is_write_once(old: Config, new: Config, changelogs: tuple[str, str | None]) -> None:
    assert write_once_changes(old, new) == [("stores.s.changelog", *changelogs)]
