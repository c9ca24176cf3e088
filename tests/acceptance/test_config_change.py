"""config_change: of all that deploys write, what changed something."""

from typing import Final

import pytest

from eventlog.events import NewEvent
from eventlog.postgres.connection import Connection
from tests.acceptance.imported_job import SETTINGS, ImportedJob, Row
from tests.acceptance.synthetic_history import buffers, plan, scans
from tests.builders import config_deleted, config_set, raw, recorded, tombstone

COLUMNS: Final = "log_offset, config_key, previous_value, config_value, operation"


def changes(job: ImportedJob) -> list[Row]:
    return job.rows("config_change", COLUMNS)


def respelt(event: NewEvent) -> NewEvent:
    """The same message under other key bytes."""
    return raw((event.key or b"").replace(b'"set-config",', b'"set-config" , '), event.value)


def test_writing_the_same_value_again_is_not_a_change(database: Connection) -> None:
    first, again, other = config_set("a", "1"), config_set("a", "1"), config_set("a", "2")
    job = ImportedJob(database, "again", coordinator=[first, again, other, again])
    assert changes(job) == [(0, "a", None, "1", "set"), (2, "a", "1", "2", "set"), (3, "a", "2", "1", "set")]


def test_a_delete_counts_where_the_key_was_set(database: Connection) -> None:
    said = [config_deleted("a"), config_set("a", ""), config_deleted("a"), config_deleted("a"), config_set("a", "")]
    job = ImportedJob(database, "deleted", coordinator=said)
    assert changes(job) == [(1, "a", None, "", "set"), (2, "a", "", None, "delete"), (4, "a", None, "", "set")]


def test_secrets_are_compared_and_shown_as_fingerprints(database: Connection) -> None:
    said = [config_set("db.password", value) for value in ("hunter2", "hunter2", "hunter3")]
    one, other = (SETTINGS.secrets.fingerprint(value) for value in ("hunter2", "hunter3"))
    job = ImportedJob(database, "secrets", coordinator=[*said, config_deleted("db.password")])
    assert changes(job) == [
        (0, "db.password", None, one, "set"),
        (2, "db.password", one, other, "set"),
        (3, "db.password", other, None, "delete"),
    ]


def test_two_spellings_of_a_key_are_one_key(database: Connection) -> None:
    said = [config_set("a", "1"), respelt(config_set("a", "1")), respelt(config_set("a", "2"))]
    assert said[0].key != said[1].key
    job = ImportedJob(database, "spelt", coordinator=[*said, config_set("a", "2")])
    assert changes(job) == [(0, "a", None, "1", "set"), (2, "a", "1", "2", "set")]


def test_a_tombstone_of_one_spelling_uncovers_the_other(database: Connection) -> None:
    plain, odd = config_set("a", "1"), respelt(config_set("a", "2"))
    job = ImportedJob(database, "uncovered", coordinator=[plain, odd, tombstone(odd), tombstone(odd), tombstone(plain)])
    assert changes(job) == [
        (0, "a", None, "1", "set"),
        (1, "a", "1", "2", "set"),
        (2, "a", "2", "1", "set"),
        (4, "a", "1", None, "delete"),
    ]
    for offset in range(5):
        (told,) = [row[3] for row in [(None,) * 5, *changes(job)] if row[0] is None or row[0] <= offset][-1:]
        assert job.rows_as_of_offset("config", "config_value", offset) == ([] if told is None else [(told,)])


def test_an_unreadable_value_changes_nothing(database: Connection) -> None:
    set_to_1 = config_set("a", "1")
    job = ImportedJob(database, "garbled", coordinator=[set_to_1, raw(set_to_1.key, b"{"), set_to_1])
    assert changes(job) == [(0, "a", None, "1", "set")]


def test_a_new_incarnation_begins_with_nothing_set(database: Connection) -> None:
    job = ImportedJob(database, "reincarnated", coordinator=[config_set("a", "1"), config_set("b", "1")])
    job.import_recorded(job.coordinator_stream, recorded([config_set("b", "1"), config_set("b", "2")]))
    rows = job.rows("config_change", "incarnation, log_offset, config_key, previous_value, config_value")
    assert rows == [(1, 0, "a", None, "1"), (1, 1, "b", None, "1"), (2, 0, "b", None, "1"), (2, 1, "b", "1", "2")]


@pytest.fixture(scope="module")
def deployed(database: Connection) -> ImportedJob:
    """A job that was deployed a hundred times with 500 keys: one changes each time, one is new."""
    same = [config_set(f"key.{number}", "1") for number in range(498)]
    deploys = ([*same, config_set("changing", str(n)), config_set(f"new.{n}", "1")] for n in range(100))
    job = ImportedJob(database, "deployed", coordinator=[event for deploy in deploys for event in deploy])
    database.execute("analyze")
    return job


@pytest.mark.parametrize(
    ("filtered", "rows"),
    [("log_offset between 49990 and 49999", 2), ("config_key = 'key.7'", 1), ("config_key = 'changing'", 100)],
)
def test_a_filter_reads_what_it_needs(deployed: ImportedJob, filtered: str, rows: int) -> None:
    query = f"select * from coordinator.config_change where job_name = 'deployed' and {filtered}"
    executed = plan(deployed.connection, query)
    assert executed["Actual Rows"] == rows
    of_history = [node for node in scans(executed) if node["Relation Name"] == "message_event"]
    assert {node["Index Name"] for node in of_history} == {"pk_message_event"}
    assert buffers(executed) < 1_000  # of 400,000 for all
