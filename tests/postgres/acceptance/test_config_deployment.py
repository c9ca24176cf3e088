"""config_change and config_deployment: what deploys changed; more stands in ``tests/rules/config_deployment.json``."""

from eventlog.messages import SetConfig
from eventlog.postgres.connection import Connection
from tests.builders import config_set, message, raw, recorded
from tests.fixtures.acceptance.imported_job import ImportedJob


def test_the_writer_of_a_message_without_a_value_is_not_that_of_the_deployment(database: Connection) -> None:
    emptied = raw(config_set("b").key, b'{"host":"h","source":"job-runner","username":"u","values":{}}')
    first = message(SetConfig(config_key="a", config_value="1"), source="a container")
    job = ImportedJob(database, "emptied", coordinator=[first, emptied, emptied])
    assert job.rows("config_deployment", "source, host, username, run_number") == [
        ("a container", "host-1", "samza", 0)
    ]


def test_a_new_incarnation_begins_with_nothing_set(database: Connection) -> None:
    job = ImportedJob(database, "reincarnated", coordinator=[config_set("a", "1"), config_set("b", "1")])
    job.import_recorded(job.coordinator_stream, recorded([config_set("b", "1"), config_set("b", "2")]))
    rows = job.rows("config_change", "incarnation, log_offset, config_key, previous_value, config_value")
    assert rows == [(1, 0, "a", None, "1"), (1, 1, "b", None, "1"), (2, 0, "b", None, "1"), (2, 1, "b", "1", "2")]
