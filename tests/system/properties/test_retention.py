"""Generated logs are cut at a horizon: what is asked about later times is answered as before."""

from datetime import datetime
from typing import Final

import pytest

from eventlog.postgres.connection import Connection, connect
from projections.retention import retain
from projections.tracked_logs import TrackedLog, logs_of
from projections.verify import verify_log
from tests.fixtures.acceptance.torture import scaled
from tests.fixtures.properties.generated_jobs import ARCHIVED_MS, GeneratedJob, Knobs, generate_job
from tests.fixtures.properties.importing import (
    CURRENT,
    HISTORIES,
    SETTINGS,
    RowsByJob,
    differing,
    grouped,
    import_log,
    rows_by_job,
)
from tests.oracle import ROWS, to_time

pytestmark = [pytest.mark.slow, pytest.mark.long]

JOBS: Final = scaled(60, 1_500)
KNOBS: Final = Knobs(events=(40, 120))
FIRST: Final = ARCHIVED_MS - 86_400_000
HOUR: Final = 3_600_000
HORIZON: Final = FIRST + 4 * HOUR
LATER: Final = (HORIZON, HORIZON + HOUR // 2, HORIZON + 2 * HOUR, HORIZON + 9 * HOUR)
AS_OF: Final = (*(name for name in ROWS if name != "other_message"), "starting_offset")

_AS_OF: Final = """
select r.* from (select distinct job_name, job_id from coordinator.job) j
cross join lateral coordinator.{}_as_of(j.job_name, j.job_id, '{}') r
"""
BEYOND: Final = [name for name in HISTORIES if name not in ("config_deployment", "state_lag")]
"""config_deployment and state_lag number and count the events that are left."""

_BEYOND: Final = """
select h.* from coordinator.{} h
join projection.job_log j on (j.job_name, j.job_id, j.stream_kind, j.incarnation)
  = (h.job_name, h.job_id, h.stream_kind, h.incarnation)
where h.log_offset > (select max(e.log_offset) from eventlog.event e where e.log_id = j.log_id and e.log_offset <=
  (select c.cut from horizon_cut c where c.log_id = j.log_id))
"""
_CUTS: Final = """
create temporary table horizon_cut as
select l.log_id, c.cut from eventlog.log l cross join lateral projection.log_cut(l.log_id, %s) c
"""


def time_of(ms: int) -> datetime:
    time = to_time(ms)
    assert time is not None
    return time


def import_jobs(connection: Connection, jobs: list[GeneratedJob]) -> list[TrackedLog]:
    for job in jobs:
        for log in job.logs:
            import_log(connection, log)
    return [logs_of(connection, log.stream_name)[0] for job in jobs for log in job.logs]


def state(connection: Connection) -> dict[str, RowsByJob]:
    """The current relations, those as of later times, and the later part of the histories."""
    found = {name: rows_by_job(connection, name) for name in CURRENT}
    for at in LATER:
        found |= {f"{name} at {at}": grouped(connection, _AS_OF.format(name, time_of(at))) for name in AS_OF}
    return found | {f"{name} beyond": grouped(connection, _BEYOND.format(name)) for name in BEYOND}


def test_what_is_retained_is_answered_as_before(database_url: str) -> None:
    with connect(database_url) as connection:
        generated = [generate_job(number, KNOBS) for number in range(JOBS)]
        logs = import_jobs(connection, generated)
        connection.execute(_CUTS, (to_time(HORIZON),))
        before = state(connection)
        done = retain(connection, logs, SETTINGS, time_of(HORIZON))
        assert len(done.logs) > JOBS
        assert sum(each.removed_events for each in done.logs) > JOBS * 10
        after = state(connection)
        assert {name: jobs for name in before if (jobs := differing(before[name], after[name]))} == {}
        for log in logs:
            assert verify_log(connection, log, SETTINGS).is_equal
        assert retain(connection, logs, SETTINGS, time_of(HORIZON)).logs == ()
        assert state(connection) == after
