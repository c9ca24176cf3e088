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


A: Final = config_set(CHANGELOG, "kafka.a")
BY_DEFAULT: Final = [NAME, config_set(CHANGELOG, "a"), config_set("job.default.system", "kafka")]
LATER: Final = FIRST_TIME + 2 * MINUTE


@pytest.mark.parametrize(
    ("name", "events", "row", "words"),
    [
        ("unset", [NAME, by("script", GROUPER, "Y")], (1, GROUPER), f"was {BY_PARTITION} (the default) and is now Y"),
        (
            "deleted",
            [NAME, config_set(GROUPER, "Y"), config_deleted(GROUPER)],
            (2, GROUPER),
            f"was Y (log offset 1) and is now {BY_PARTITION}, set by an unknown writer: ",
        ),
        (
            "log",
            [NAME, STORE, A, by("script", CHANGELOG, "kafka.b")],
            (3, CHANGELOG),
            "was kafka.a (log offset 2) and is now kafka.b, set by script on host",
        ),
        *(
            (
                system.replace(".", "-"),
                [NAME, STORE, config_set(CHANGELOG, "a"), config_set(system, "kafka"), by("script", system, "other")],
                (4, CHANGELOG),
                "was kafka.a (log offset 2) and is now other.a",
            )
            for system in ("job.changelog.system", "job.default.system")
        ),
        ("no-log", [NAME, STORE, A, config_deleted(CHANGELOG)], (3, CHANGELOG), "is now not set"),
    ],
)
def test_what_is_a_change(database: Connection, name: str, events: list[NewEvent], row: Row, words: str) -> None:
    job = job_of(database, name, events)
    assert shown(job) == [row]
    assert words in detail(job)


@pytest.mark.parametrize(
    ("name", "events"),
    [
        ("first-deployment", [NAME, config_set(GROUPER, "X")]),
        ("again", [NAME, config_set(GROUPER, "X"), NAME, by("script", GROUPER, "X")]),
        ("default", [NAME, by("script", GROUPER, BY_PARTITION)]),
        ("before-it-has-a-name", [config_set("a", "1"), by("script", GROUPER, "X"), NAME]),
        ("default-deleted", [NAME, config_set(GROUPER, BY_PARTITION), config_deleted(GROUPER)]),
        ("other-key", [NAME, config_set("task.class", "A"), by("script", "task.class", "B")]),
        ("added", [NAME, STORE, by("script", CHANGELOG, "kafka.a")]),
        ("system-after-it", BY_DEFAULT),
        ("spelt-out", [*BY_DEFAULT, by("script", CHANGELOG, "kafka.a", at=LATER)]),
        (
            "one-deployment",
            [
                *BY_DEFAULT,
                config_set("job.default.system", "other", at=LATER),
                config_set("job.changelog.system", "kafka", at=LATER + 1),
            ],
        ),
        ("store-removed", [NAME, STORE, A, config_deleted(CHANGELOG), config_deleted(STORE_KEY)]),
        ("blank", [NAME, STORE, config_set(CHANGELOG, " "), by("script", CHANGELOG, "kafka.a")]),
        (
            "own-setting",
            [NAME, config_set(f"{CHANGELOG}.replication.factor", "1"), config_set("stores.changelog", "b")],
        ),
    ],
)
def test_what_is_no_change(database: Connection, name: str, events: list[NewEvent]) -> None:
    assert shown(job_of(database, f"no-change-{name}", events)) == []


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
