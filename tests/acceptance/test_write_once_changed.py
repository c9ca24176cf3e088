"""Settings that may be set only once, changed by whichever writer: what is an anomaly, and what a deployment does."""

from collections.abc import Sequence
from typing import Final

import pytest

from eventlog.events import NewEvent
from eventlog.log import MemoryEventLog
from eventlog.messages import Envelope, SetConfig
from eventlog.postgres.connection import Connection
from eventlog.streams import identify
from eventlog.wire import coordinator
from managers.config.job_config import DEFAULTS, delete_config, set_config, write_config
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.acceptance.imported_job import SETTINGS, ImportedJob, Row
from tests.builders import FIRST_TIME, config_deleted, config_set, recorded

MINUTE: Final = 60_000
GROUPER: Final = "job.systemstreampartition.grouper.factory"
BY_PARTITION: Final = DEFAULTS[GROUPER]
NAME: Final = config_set("job.name", "the name of the test's job")
STORE_KEY: Final = "stores.s.factory"
STORE: Final = config_set(STORE_KEY, "RocksDb")
CHANGELOG: Final = "stores.s.changelog"


def by(writer: str, key: str, value: str, *, at: int | None = None) -> NewEvent:
    """A config key that another program set."""
    said = SetConfig(config_key=key, config_value=value, envelope=Envelope(writer, "laptop", "eve", FIRST_TIME))
    return NewEvent(*coordinator.encode_message(said), at)


def job_of(database: Connection, name: str, events: Sequence[NewEvent], *, step: int = 1) -> ImportedJob:
    job = ImportedJob(database, f"write-once-{name}")
    own = config_set("job.name", job.name)
    job.import_recorded(job.coordinator_stream, recorded([own if each is NAME else each for each in events], step=step))
    return job


def shown(job: ImportedJob) -> list[Row]:
    return job.rows("anomaly", "log_offset, subject", "anomaly = 'write_once_changed'")


def detail(job: ImportedJob) -> str:
    ((text,),) = job.rows("anomaly", "detail", "anomaly = 'write_once_changed'")
    return str(text)


def test_both_lists_are_one(database: Connection) -> None:
    listed = database.execute("select config_key, config_value from projection.write_once_default()").fetchall()
    assert dict(listed) == DEFAULTS


@pytest.mark.parametrize("key", sorted(DEFAULTS))
def test_a_key_that_another_writer_changes(database: Connection, key: str) -> None:
    job = job_of(database, key.replace(".", "-"), [NAME, config_set(key, "X"), by("script", key, "Y")])
    assert shown(job) == [(2, key)]
    assert detail(job).startswith(f"{key} was X (log offset 1) and is now Y, set by script on host laptop as user eve")
    assert job.rows("anomaly", "source, host, username") == [("script", "laptop", "eve")]


def test_a_key_that_another_writer_sets_in_a_deployed_job(database: Connection) -> None:
    job = job_of(database, "unset", [NAME, by("script", GROUPER, "Y")])
    assert shown(job) == [(1, GROUPER)]
    assert f"{GROUPER} was {BY_PARTITION} (the default) and is now Y" in detail(job)


def test_a_delete_gives_the_default_back_and_names_no_writer(database: Connection) -> None:
    job = job_of(database, "deleted", [NAME, config_set(GROUPER, "Y"), config_deleted(GROUPER)])
    assert shown(job) == [(2, GROUPER)]
    assert f"was Y (log offset 1) and is now {BY_PARTITION}, set by an unknown writer: " in detail(job)


@pytest.mark.parametrize(
    ("name", "events"),
    [
        ("first-deployment", [NAME, config_set(GROUPER, "X")]),
        ("again", [NAME, config_set(GROUPER, "X"), NAME, by("script", GROUPER, "X")]),
        ("default", [NAME, by("script", GROUPER, BY_PARTITION)]),
        ("before-it-has-a-name", [config_set("a", "1"), by("script", GROUPER, "X"), NAME]),
        ("default-deleted", [NAME, config_set(GROUPER, BY_PARTITION), config_deleted(GROUPER)]),
        ("other-key", [NAME, config_set("task.class", "A"), by("script", "task.class", "B")]),
    ],
)
def test_what_changes_no_grouping(database: Connection, name: str, events: list[NewEvent]) -> None:
    assert shown(job_of(database, name, events)) == []


def test_a_changelog_that_becomes_another(database: Connection) -> None:
    job = job_of(database, "log", [NAME, STORE, config_set(CHANGELOG, "kafka.a"), by("script", CHANGELOG, "kafka.b")])
    assert shown(job) == [(3, CHANGELOG)]
    assert detail(job).startswith(f"{CHANGELOG} was kafka.a (log offset 2) and is now kafka.b, set by script on host")


@pytest.mark.parametrize("system", ["job.changelog.system", "job.default.system"])
def test_a_changelog_whose_system_becomes_another(database: Connection, system: str) -> None:
    said = [NAME, STORE, config_set(CHANGELOG, "a"), config_set(system, "kafka"), by("script", system, "other")]
    job = job_of(database, system.replace(".", "-"), said)
    assert shown(job) == [(4, CHANGELOG)]
    assert f"{CHANGELOG} was kafka.a (log offset 2) and is now other.a" in detail(job)


def test_a_changelog_that_is_deleted_while_its_store_stays(database: Connection) -> None:
    said = [NAME, STORE, config_set(CHANGELOG, "kafka.a"), config_deleted(CHANGELOG)]
    job = job_of(database, "no-log", said)
    assert shown(job) == [(3, CHANGELOG)]
    assert "is now not set" in detail(job)


_KAFKA_BY_DEFAULT: Final = [
    NAME,
    config_set(CHANGELOG, "a"),
    config_set("job.default.system", "kafka"),
    config_set("x", at=FIRST_TIME + MINUTE),
]


@pytest.mark.parametrize(
    ("name", "events"),
    [
        ("added", [NAME, STORE, by("script", CHANGELOG, "kafka.a")]),
        ("system-after-it", _KAFKA_BY_DEFAULT),
        ("spelt-out", [*_KAFKA_BY_DEFAULT, by("script", CHANGELOG, "kafka.a", at=FIRST_TIME + 2 * MINUTE)]),
        (
            "one-deployment",
            [
                *_KAFKA_BY_DEFAULT,
                config_set("job.default.system", "other", at=FIRST_TIME + 2 * MINUTE),
                config_set("job.changelog.system", "kafka", at=FIRST_TIME + 2 * MINUTE + 1),
            ],
        ),
        (
            "store-removed",
            [NAME, STORE, config_set(CHANGELOG, "kafka.a"), config_deleted(CHANGELOG), config_deleted(STORE_KEY)],
        ),
        ("blank", [NAME, STORE, config_set(CHANGELOG, " "), by("script", CHANGELOG, "kafka.a")]),
        (
            "own-setting",
            [NAME, config_set(f"{CHANGELOG}.replication.factor", "1"), config_set("stores.changelog", "b")],
        ),
    ],
)
def test_what_moves_no_changelog(database: Connection, name: str, events: list[NewEvent]) -> None:
    assert shown(job_of(database, name, events)) == []


def test_no_secret_is_in_its_detail(database: Connection) -> None:
    secrets = ["kafka://u:hunter2@db/x", "kafka://u:hunter3@db/x"]
    job = job_of(database, "secret", [NAME, *(config_set(GROUPER, value) for value in secrets)])
    assert shown(job) == [(2, GROUPER)]
    first, then = (SETTINGS.secrets.fingerprint(value) for value in secrets)
    assert f"was {first} (log offset 1) and is now {then}" in detail(job)
    assert "hunter" not in repr(job.rows("anomaly", "*"))


def test_what_our_own_door_refuses_is_what_shows_where_it_is_forced(database: Connection) -> None:
    name = "write-once-forced"
    log = MemoryEventLog(identify(f"__samza_coordinator_{name}_1"))
    before = {"job.name": name, GROUPER: "X", "stores.s.factory": "RocksDb", CHANGELOG: "kafka.a"}
    with CoordinatorStreamStore(log) as store:
        write_config(store, before)
        write_config(store, {**before, "task.class": "demo.Task"})
        set_config(store, GROUPER, "Y", force=True)
        delete_config(store, CHANGELOG, force=True)
    job = ImportedJob(database, name)
    job.import_recorded(job.coordinator_stream, list(log.read(0)))
    rows = job.rows("anomaly", "subject, source")
    assert [subject for subject, _ in rows] == [GROUPER, CHANGELOG]
    assert "forced" in rows[0][1]
