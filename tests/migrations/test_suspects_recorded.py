"""Revision 0007 over data: logs that were folded before it have the same anomalies, also when they are rebuilt."""

from typing import Final

import pytest

from coordstream.migrate import downgrade, upgrade
from eventlog.postgres.connection import connect
from projections.quarantine_retry import check_quarantine, rebuild_checked_log
from tests.properties.generated_jobs import generate_job
from tests.properties.importing import SETTINGS, import_log

pytestmark = pytest.mark.slow

JOBS: Final = 10
ANOMALIES: Final = "select * from coordinator.anomaly order by job_name, stream_kind, log_offset, anomaly, subject"
SUSPECTS: Final = "select * from projection.suspect_checkpoint order by log_id, log_offset, key_id"
OF_OLDER_CODE: Final = "update projection.position set fold_version = '3-' || split_part(fold_version, '-', 2)"


def test_anomalies_of_before_read_the_same(database_url: str) -> None:
    jobs = list(map(generate_job, range(JOBS)))
    with connect(database_url) as connection:
        for log in (log for job in jobs for log in job.logs):
            import_log(connection, log)
        anomalies, suspects = connection.execute(ANOMALIES).fetchall(), connection.execute(SUSPECTS).fetchall()
    assert anomalies
    assert suspects
    downgrade(database_url, "0006")
    upgrade(database_url)
    with connect(database_url) as connection:
        connection.execute(OF_OLDER_CODE)
        assert connection.execute(SUSPECTS).fetchall() == []
        assert connection.execute(ANOMALIES).fetchall() == anomalies
        for check in check_quarantine(connection, [log.stream_name for job in jobs for log in job.logs], SETTINGS):
            rebuild_checked_log(connection, check, SETTINGS)
        assert connection.execute(SUSPECTS).fetchall() == suspects
        assert connection.execute(ANOMALIES).fetchall() == anomalies
