"""What looks wrong in a job's logs: a real job that was rewound has nothing wrong, and no detail shows a secret.

What is wrong, and what only looks like it, stands in ``tests/rules/anomaly.json``.
"""

from eventlog.postgres.connection import Connection
from managers.config.job_config import DEFAULTS
from tests.builders import config_set
from tests.fixtures.acceptance.imported_job import SETTINGS, ImportedJob
from tests.fixtures.acceptance.odd_jobs import import_recording_a


def test_a_real_job_that_was_rewound_by_startpoints_has_no_anomaly(database: Connection) -> None:
    assert import_recording_a(database).rows("anomaly", "anomaly") == []


def test_no_secret_is_in_a_detail(database: Connection) -> None:
    grouper = "job.systemstreampartition.grouper.factory"
    names = ("anomaly-secret", "postgres://u:hunter2@db/x", "anomaly-secret")
    groupers = ["kafka://u:hunter2@db/x", "kafka://u:hunter3@db/x"]
    first, then = (config_set(grouper, each) for each in groupers)
    events = [first, *(config_set("job.name", name) for name in names), then]
    rows = ImportedJob(database, "anomaly-secret", coordinator=events).rows("anomaly", "anomaly, detail")
    assert [anomaly for anomaly, _ in rows] == ["two_job_names", "two_job_names", "write_once_changed"]
    assert "hunter" not in repr(rows)
    before, now = map(SETTINGS.secrets.fingerprint, groupers)
    assert f"was {before} (log offset 0) and is now {now}" in rows[-1][1]


def test_the_defaults_of_write_once_settings_are_those_of_the_managers(database: Connection) -> None:
    listed = database.execute("select config_key, config_value from projection.write_once_default()").fetchall()
    assert dict(listed) == DEFAULTS
