"""Record times from the first to the last that timestamptz has, in one log: every relation and function answers."""

import random
from typing import Final

import pytest

from eventlog.events import RecordedEvent
from eventlog.postgres.connection import Connection
from eventlog.timestamps import FIRST_STORABLE_MS, LAST_STORABLE_MS
from tests.fixtures.properties.generated_jobs import ARCHIVED_MS, GeneratedJob, GeneratedLog, generate_job
from tests.fixtures.properties.importing import import_log, with_events

pytestmark = pytest.mark.slow

JOBS: Final = 24
TIMES: Final = (FIRST_STORABLE_MS, 0, ARCHIVED_MS - 60_000, ARCHIVED_MS, LAST_STORABLE_MS - 60_000, LAST_STORABLE_MS)
VIEWS: Final = "select relname from pg_class where relnamespace = 'coordinator'::regnamespace and relkind = 'v'"
AS_OF: Final = "select proname from pg_proc where pronamespace = 'coordinator'::regnamespace and proname ~ 'as_of$'"
OF_EACH_JOB: Final = """
select f.* from (select distinct job_name, job_id from projection.job_log) j
cross join lateral coordinator.{}(j.job_name, j.job_id, {}) f
"""
FUNCTIONS: Final = {
    "explain": "'Partition 0', null",
    "input_offset_at": "'infinity'",
    "anomaly_between": "'-infinity', 'infinity'",
    "processing_rate": "'-infinity', 'infinity'",
    "newest_commits": "5",
    "newest_events": "5",
}


def with_extreme_times(number: int) -> GeneratedJob:
    rng = random.Random(number)

    def changed(log: GeneratedLog) -> list[RecordedEvent]:
        return [event._replace(timestamp=rng.choice(TIMES)) for event in log.events]

    return with_events(generate_job(number), changed)


@pytest.fixture(scope="module")
def imported(database: Connection) -> Connection:
    for number in range(JOBS):
        for log in with_extreme_times(number).logs:
            import_log(database, log)
    return database


def test_every_relation_answers(imported: Connection) -> None:
    for (relation,) in imported.execute(VIEWS).fetchall():
        imported.execute(f"select * from coordinator.{relation}".encode())


def test_every_function_answers(imported: Connection) -> None:
    functions = FUNCTIONS | {name: "'2025-06-15'" for (name,) in imported.execute(AS_OF)}
    for name, arguments in functions.items():
        imported.execute(OF_EACH_JOB.format(name, arguments).encode())
