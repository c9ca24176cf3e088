"""config_change: of all that deploys write, what changed something."""

from typing import Final

from eventlog.postgres.connection import Connection
from tests.acceptance.imported_job import SETTINGS, ImportedJob, Row
from tests.builders import config_deleted, config_set, recorded

COLUMNS: Final = "log_offset, config_key, previous_value, config_value, operation"


def changes(job: ImportedJob) -> list[Row]:
    return job.rows("config_change", COLUMNS)


def test_secrets_are_compared_and_shown_as_fingerprints(database: Connection) -> None:
    said = [config_set("db.password", value) for value in ("hunter2", "hunter2", "hunter3")]
    one, other = (SETTINGS.secrets.fingerprint(value) for value in ("hunter2", "hunter3"))
    job = ImportedJob(database, "secrets", coordinator=[*said, config_deleted("db.password")])
    assert changes(job) == [
        (0, "db.password", None, one, "set"),
        (2, "db.password", one, other, "set"),
        (3, "db.password", other, None, "delete"),
    ]


def test_a_new_incarnation_begins_with_nothing_set(database: Connection) -> None:
    job = ImportedJob(database, "reincarnated", coordinator=[config_set("a", "1"), config_set("b", "1")])
    job.import_recorded(job.coordinator_stream, recorded([config_set("b", "1"), config_set("b", "2")]))
    rows = job.rows("config_change", "incarnation, log_offset, config_key, previous_value, config_value")
    assert rows == [(1, 0, "a", None, "1"), (1, 1, "b", None, "1"), (2, 0, "b", None, "1"), (2, 1, "b", "1", "2")]
