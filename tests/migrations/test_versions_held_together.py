"""Revision 0006 over data: layouts are counted as the fold counts them, and commits folded before it read the same."""

from typing import Final

import pytest

from coordstream.migrate import downgrade, upgrade
from eventlog.postgres.connection import connect
from tests.properties.generated_jobs import generate_job
from tests.properties.importing import import_log

pytestmark = pytest.mark.slow

JOBS: Final = 10
LAYOUTS: Final = "select * from projection.checkpoint_layout order by log_id, layout_id, n"
COMMITS: Final = "select * from coordinator.commit_history order by job_name, stream_kind, log_offset, task_name"
UNKNOWN: Final = "select count(*) from projection.checkpoint_event where other_version_time is not null"


def test_commits_of_before_read_the_same(database_url: str) -> None:
    with connect(database_url) as connection:
        for job in map(generate_job, range(JOBS)):
            for log in job.logs:
                import_log(connection, log)
        layouts, commits = connection.execute(LAYOUTS).fetchall(), connection.execute(COMMITS).fetchall()
    downgrade(database_url, "0005")
    upgrade(database_url)
    with connect(database_url) as connection:
        assert connection.execute(UNKNOWN).fetchone() == (0,)
        assert connection.execute(LAYOUTS).fetchall() == layouts
        assert connection.execute(COMMITS).fetchall() == commits
    assert {layout[-2] is None for layout in layouts} == {True, False}
    assert commits
