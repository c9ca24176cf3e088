"""Generated logs are cut at a horizon: what is asked about later times is answered as before."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import pytest

from eventlog.events import EventColumns, RecordedEvent
from eventlog.postgres.archive import archive_writer
from eventlog.postgres.connection import Connection, connect
from eventlog.timestamps import micros_of
from projections.fold.batch import sets_value
from projections.fold.log_fold import LogFold
from projections.rebuild import rebuild_log
from projections.retention import RetainedEvents, retain
from projections.topic_check import lost_base
from projections.tracked_logs import TrackedLog, logs_of
from projections.verify import verify_log
from tests.fixtures.acceptance.torture import scaled
from tests.fixtures.projections.rebuilt import forget
from tests.fixtures.properties.generated_jobs import ARCHIVED_MS, GeneratedJob, Knobs, generate_job
from tests.fixtures.properties.importing import (
    ARCHIVED_AT,
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
LOST: Final = scaled(20, 300)
"""Logs of which the archive loses events."""

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
        connection.execute("set session_replication_role = replica")  # no trigger refuses to change the archive
        topics = {log.stream_name: log.events for job in generated for log in job.logs}
        for each in done.logs[:LOST]:
            lose_and_find_base(connection, each, topics[each.log.stream.stream_name])
        now = state(connection)
        assert {name: jobs for name in after if (jobs := differing(after[name], now[name]))} == {}


def lose_and_find_base(connection: Connection, retained: RetainedEvents, events: Sequence[RecordedEvent]) -> None:
    """Check that a topic has no event that the log should have kept, and has each of them after its loss."""
    log, horizon = retained.log, retained.horizon_offset
    topic = [event for event in events if event.offset <= horizon]
    assert lost_base(connection, log, horizon, topic, SETTINGS) == set()
    connection.execute("delete from eventlog.event where log_id = %s and log_offset < %s", (log.log_id, horizon))
    lost = lost_base(connection, log, horizon, topic, SETTINGS)
    fold = LogFold(log.log_id, log.stream.stream_kind, SETTINGS.secrets)
    newest = {event.key: event for event in topic if event.key is not None}
    values = {event.offset for event in newest.values() if event.offset < horizon and sets_value(fold, event)}
    with connection.transaction(force_rollback=True):
        forget(connection, log)
        assert values <= lost_base(connection, log, horizon, topic, SETTINGS)
    with archive_writer(connection, log.log_id, micros_of(ARCHIVED_AT)) as write:
        write(EventColumns.of([event for event in topic if event.offset in lost]))
    rebuild_log(connection, log, SETTINGS)
