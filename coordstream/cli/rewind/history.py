"""What the relations tell about a job for a rewind: its rates, and where its tasks stood when a run began."""

from typing import Final

from psycopg.errors import InvalidParameterValue

from coordstream.database import open_database
from coordstream.errors import CoordstreamError
from coordstream.messages import note
from eventlog.partition import SystemStreamPartition
from eventlog.postgres.connection import Connection
from managers.rewind.rewind_targets import Reader
from projections.job_choice import Job, UnknownJob, find_job

_BUSIEST_HOUR: Final = """
select r.task_name, max(r.records_per_second) from (
  select max(c.record_time) as until from coordinator.checkpoint c where c.job_name = %(name)s and c.job_id = %(id)s) n
cross join lateral coordinator.processing_rate(%(name)s, %(id)s, n.until - interval '1 day', n.until) r
where n.until is not null group by r.task_name
"""
_BEGINNINGS: Final = """
select distinct on ({number}) {number}, first_record_time::text from coordinator.config_deployment
where job_name = %(name)s and job_id = %(id)s and {number} > 0 order by {number}, deployment_number
"""
_STOOD: Final = """
select task_name, system_name, stream_name, partition_id, key_bucket, input_offset_number
from coordinator.input_offset_at(%(name)s, %(id)s, %(at)s::timestamptz) where input_offset_number is not null
"""


def busiest_rates(job: Job) -> dict[str, float]:
    """Records per second of each task in the busiest hour of the day before the job's last commit.

    Empty, with a note, if the database cannot tell. An hour in which a task waits for records says less about what it
    can process, hence the busiest one.
    """
    try:
        with open_database() as database:
            found = find_job(database.connection, str(job))
            return _rates(database.connection, found)
    except (CoordstreamError, UnknownJob) as error:
        note(f"The time to catch up is unknown: {error}")
        return {}


def offsets_at_run(job: Job, run: int) -> dict[Reader, int]:
    """The next offset of each task and partition when the job's run with this number began.

    Raises:
        UnknownJob: the database does not have the job.
        CoordstreamError: the job does not have the run.
    """
    return _offsets_at(job, "run_number", run, "run")


def offsets_at_deployment(job: Job, deployment: int) -> dict[Reader, int]:
    """As `offsets_at_run`, for a deployment of config."""
    return _offsets_at(job, "deployment_number", deployment, "deployment")


def _offsets_at(job: Job, column: str, number: int, noun: str) -> dict[Reader, int]:
    with open_database() as database:
        found = find_job(database.connection, str(job))
        values = {"name": found.name, "id": found.id}
        query = _BEGINNINGS.format(number=column)
        # texts, because a time may be after the year 9999
        beginnings: dict[int, str] = dict(database.connection.execute(query.encode(), values).fetchall())
        if number not in beginnings:
            known = f"It has {noun}s 1 to {max(beginnings)}." if beginnings else f"The database knows no {noun} of it."
            raise CoordstreamError(f"Job {job} has no {noun} {number}. {known}")
        at = {**values, "at": beginnings[number]}
        return {
            (task_name, SystemStreamPartition(*partition)): offset + 1
            for task_name, *partition, offset in database.connection.execute(_STOOD, at).fetchall()
        }


def _rates(connection: Connection, job: Job) -> dict[str, float]:
    values = {"name": job.name, "id": job.id}
    try:
        return dict(connection.execute(_BUSIEST_HOUR, values).fetchall())
    except InvalidParameterValue:  # the day begins before the retained horizon
        return {}
