"""The moment that a query is about: now, a time, or an offset of a log."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from eventlog.postgres.connection import Connection
from projections.job_choice import Job

_FIRST_EVENT: Final = """
select to_char(min(f.log_time) at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')
from projection.job_log l
cross join lateral (
  select t.log_time from projection.log_time t where t.log_id = l.log_id order by t.log_offset limit 1) f
where {condition}
having min(f.log_time) > %(time)s
"""
_OF_JOB: Final = _FIRST_EVENT.format(condition="l.job_name = %(name)s and l.job_id = %(id)s")
_OF_ALL: Final = _FIRST_EVENT.format(condition="true")


@dataclass(frozen=True)
class Cut:
    """A time, or an inclusive offset, or now if both are None."""

    time: datetime | None = None
    offset: int | None = None

    def __str__(self) -> str:
        if self.time is not None:
            return f" as of {self.time:%Y-%m-%d %H:%M:%S} UTC"
        return "" if self.offset is None else f" as of offset {self.offset}"


NOW: Final = Cut()


def too_early(connection: Connection, job: Job | None, cut: Cut) -> str:
    """A sentence if the cut is a time before the first event of a job, or of all jobs, or else an empty string."""
    if cut.time is None:
        return ""
    of_job = {} if job is None else job._asdict()
    first = connection.execute(_OF_ALL if job is None else _OF_JOB, {**of_job, "time": cut.time}).fetchone()
    whose = "The database" if job is None else f"Job {job}"
    return "" if first is None else f"{whose} has no events{cut}. Its first event is from {first[0]} UTC."
