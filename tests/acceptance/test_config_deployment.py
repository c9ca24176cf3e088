"""config_deployment: the bursts of config events that starts of a job and other writers make."""

from typing import Final

from eventlog.events import NewEvent
from eventlog.messages import SetConfig
from eventlog.postgres.connection import Connection
from tests.acceptance.imported_job import ImportedJob, Row
from tests.builders import FIRST_TIME, config_deleted, config_set, container_host, message, raw, tombstone

COLUMNS: Final = (
    "deployment_number, source, first_log_offset, last_log_offset, keys_set, keys_changed, keys_deleted, run_number"
)
MINUTE: Final = 60_000


def deployments(job: ImportedJob) -> list[Row]:
    return job.rows("config_deployment", COLUMNS)


def config_by(source: str, key: str, value: str = "1", *, at: int | None = None) -> NewEvent:
    return message(SetConfig(config_key=key, config_value=value), at=at, source=source)


def test_a_deployment_ends_where_another_writer_begins(database: Connection) -> None:
    said = [config_set("a", "1"), config_set("b", "1"), config_by("operator", "c"), config_set("a", "2")]
    job = ImportedJob(database, "writers", coordinator=said)
    assert deployments(job) == [
        (1, "job-runner", 0, 1, 2, 2, 0, 1),
        (2, "operator", 2, 2, 1, 1, 0, 1),
        (3, "job-runner", 3, 3, 1, 1, 0, 2),
    ]


def test_a_deployment_ends_where_no_config_event_follows_within_a_minute(database: Connection) -> None:
    at = [FIRST_TIME, FIRST_TIME + MINUTE, FIRST_TIME + 2 * MINUTE + 1]
    job = ImportedJob(database, "minutes", coordinator=[config_set(str(time), at=time) for time in at])
    assert [row[:4] for row in deployments(job)] == [(1, "job-runner", 0, 1), (2, "job-runner", 2, 2)]


def test_tombstones_belong_to_the_deployment_before_them(database: Connection) -> None:
    said = [config_set("a"), config_set("b"), config_deleted("b"), config_deleted("none"), config_set("c")]
    job = ImportedJob(database, "tombstones", coordinator=said)
    assert deployments(job) == [(1, "job-runner", 0, 4, 3, 3, 1, 1)]


def test_the_writer_of_a_message_without_a_value_is_not_that_of_the_deployment(database: Connection) -> None:
    emptied = raw(config_set("b").key, b'{"host":"h","source":"job-runner","username":"u","values":{}}')
    job = ImportedJob(database, "emptied", coordinator=[config_by("a container", "a"), emptied, emptied])
    assert job.rows("config_deployment", "source, host, username, run_number") == [
        ("a container", "host-1", "samza", 0)
    ]


def test_a_deployment_ends_where_a_key_is_set_a_second_time(database: Connection) -> None:
    said = [config_set("a"), config_set("b"), config_deleted("c"), config_set("b"), config_set("a"), config_set("a")]
    job = ImportedJob(database, "twice", coordinator=said)
    assert [row[:4] for row in deployments(job)] == [
        (1, "job-runner", 0, 2),
        (2, "job-runner", 3, 4),
        (3, "job-runner", 5, 5),
    ]


def test_tombstones_alone_tell_no_writer(database: Connection) -> None:
    late = raw(config_set("a").key, None, at=FIRST_TIME + 2 * MINUTE)
    job = ImportedJob(database, "alone", coordinator=[config_deleted("x"), config_set("a"), late])
    assert deployments(job) == [
        (1, None, 0, 0, 0, 0, 0, 0),
        (2, "job-runner", 1, 1, 1, 1, 0, 1),
        (3, None, 2, 2, 0, 0, 1, 1),
    ]


def test_other_messages_do_not_end_a_deployment(database: Connection) -> None:
    said = [config_set("a"), container_host(), config_set("b")]
    job = ImportedJob(database, "others", coordinator=said)
    assert deployments(job) == [(1, "job-runner", 0, 2, 2, 2, 0, 1)]


def test_a_key_counts_as_changed_only_with_another_value(database: Connection) -> None:
    start = [config_set("a", "1"), config_set("b", "1"), config_set("db.password", "x")]
    again = [config_set("a", "1"), config_set("b", "2"), config_set("db.password", "y"), tombstone(config_set("a"))]
    job = ImportedJob(database, "again", coordinator=[*start, config_by("operator", "c"), *again])
    assert deployments(job)[2] == (3, "job-runner", 4, 7, 3, 2, 1, 2)


def test_a_time_that_runs_backwards_does_not_split_a_deployment(database: Connection) -> None:
    said = [config_set("a", at=FIRST_TIME + 9 * MINUTE), config_set("b", at=FIRST_TIME)]
    job = ImportedJob(database, "backwards", coordinator=said)
    assert [row[:4] for row in deployments(job)] == [(1, "job-runner", 0, 1)]
