"""config_change and config_deployment: what deploys changed, and the bursts of config events that they are."""

from typing import Final

import pytest

from eventlog.events import NewEvent
from eventlog.messages import SetConfig
from eventlog.postgres.connection import Connection
from tests.builders import FIRST_TIME, config_deleted, config_set, container_host, message, raw, recorded, tombstone
from tests.fixtures.acceptance.imported_job import ImportedJob, Row

COLUMNS: Final = (
    "deployment_number, source, first_log_offset, last_log_offset, keys_set, keys_changed, keys_deleted, run_number"
)
RUNNER: Final = "job-runner"
MINUTE: Final = 60_000
A, B, C = config_set("a"), config_set("b"), config_set("c")


def by(source: str, key: str) -> NewEvent:
    return message(SetConfig(config_key=key, config_value="1"), source=source)


DEPLOYMENTS: Final[dict[str, tuple[list[NewEvent], list[Row]]]] = {
    "another writer begins one": (
        [config_set("a", "1"), config_set("b", "1"), by("operator", "c"), config_set("a", "2")],
        [(1, RUNNER, 0, 1, 2, 2, 0, 1), (2, "operator", 2, 2, 1, 1, 0, 1), (3, RUNNER, 3, 3, 1, 1, 0, 2)],
    ),
    "a minute without a config event ends one": (
        [config_set(str(at), at=FIRST_TIME + at) for at in (0, MINUTE, 2 * MINUTE + 1)],
        [(1, RUNNER, 0, 1, 2, 2, 0, 1), (2, RUNNER, 2, 2, 1, 1, 0, 2)],
    ),
    "tombstones belong to the one before": (
        [A, B, config_deleted("b"), config_deleted("none"), C],
        [(1, RUNNER, 0, 4, 3, 3, 1, 1)],
    ),
    "a key that is set a second time begins one": (
        [A, B, config_deleted("c"), B, A, A],
        [(1, RUNNER, 0, 2, 2, 2, 0, 1), (2, RUNNER, 3, 4, 2, 0, 0, 2), (3, RUNNER, 5, 5, 1, 0, 0, 3)],
    ),
    "tombstones alone tell no writer": (
        [config_deleted("x"), A, raw(A.key, None, at=FIRST_TIME + 2 * MINUTE)],
        [(1, None, 0, 0, 0, 0, 0, 0), (2, RUNNER, 1, 1, 1, 1, 0, 1), (3, None, 2, 2, 0, 0, 1, 1)],
    ),
    "other messages do not end one": ([A, container_host(), B], [(1, RUNNER, 0, 2, 2, 2, 0, 1)]),
    "only another value is a change": (
        [
            *(config_set("a", "1"), config_set("b", "1"), config_set("db.password", "x"), by("operator", "c")),
            *(config_set("a", "1"), config_set("b", "2"), config_set("db.password", "y"), tombstone(A)),
        ],
        [(1, RUNNER, 0, 2, 3, 3, 0, 1), (2, "operator", 3, 3, 1, 1, 0, 1), (3, RUNNER, 4, 7, 3, 2, 1, 2)],
    ),
    "a time that runs backwards does not split one": (
        [config_set("a", at=FIRST_TIME + 9 * MINUTE), config_set("b", at=FIRST_TIME)],
        [(1, RUNNER, 0, 1, 2, 2, 0, 1)],
    ),
}


@pytest.mark.parametrize("case", DEPLOYMENTS)
def test_deployments(database: Connection, case: str) -> None:
    events, expected = DEPLOYMENTS[case]
    job = ImportedJob(database, f"deployment-{case.replace(' ', '-')}", coordinator=events)
    assert job.rows("config_deployment", COLUMNS) == expected


def test_the_writer_of_a_message_without_a_value_is_not_that_of_the_deployment(database: Connection) -> None:
    emptied = raw(B.key, b'{"host":"h","source":"job-runner","username":"u","values":{}}')
    job = ImportedJob(database, "emptied", coordinator=[by("a container", "a"), emptied, emptied])
    assert job.rows("config_deployment", "source, host, username, run_number") == [
        ("a container", "host-1", "samza", 0)
    ]


def test_a_new_incarnation_begins_with_nothing_set(database: Connection) -> None:
    job = ImportedJob(database, "reincarnated", coordinator=[config_set("a", "1"), config_set("b", "1")])
    job.import_recorded(job.coordinator_stream, recorded([config_set("b", "1"), config_set("b", "2")]))
    rows = job.rows("config_change", "incarnation, log_offset, config_key, previous_value, config_value")
    assert rows == [(1, 0, "a", None, "1"), (1, 1, "b", None, "1"), (2, 0, "b", None, "1"), (2, 1, "b", "1", "2")]
