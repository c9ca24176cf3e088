"""What to say where a question has no answer, which would else be silence."""

import sys
from typing import Final

from psycopg import sql

from coordstream.cli.job.lookup import Job
from coordstream.cli.output.tables import printable
from coordstream.cli.query.cut import Cut
from coordstream.cli.query.rows import fetch
from eventlog.error_text import did_you_mean
from eventlog.postgres.connection import Connection

FIRST_EVENT: Final = sql.SQL(
    """
    select to_char(min(f.log_time) at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') as first_event
    from projection.job_log l
    cross join lateral (
      select t.log_time from projection.log_time t where t.log_id = l.log_id order by t.log_offset limit 1) f
    where l.job_name = %(name)s and l.job_id = %(id)s
    having min(f.log_time) > %(time)s
    """
)
KEYS: Final = sql.SQL(
    "select distinct config_key from coordinator.config_history where job_name = %(name)s and job_id = %(id)s"
)


def too_early(connection: Connection, job: Job, cut: Cut) -> str:
    """A sentence where a cut in time lies before the job's first event; else empty."""
    if cut.time is None:
        return ""
    found = fetch(connection, FIRST_EVENT, {"name": job.name, "id": job.id, "time": cut.time})
    return f"job {job} has no event{cut}: its first event is of {found[0]['first_event']} UTC." if found else ""


def note(sentence: str) -> None:
    """Say a sentence on standard error, if there is one: what was asked for is printed nevertheless."""
    if sentence:
        print(sentence, file=sys.stderr)


def unmatched_key(connection: Connection, job: Job, pattern: str) -> str:
    """A sentence for a pattern that no key matches, with what was probably meant."""
    keys = [row["config_key"] for row in fetch(connection, KEYS, {"name": job.name, "id": job.id})]
    below = any(key.startswith(f"{pattern}.") for key in keys)
    question = f" Did you mean '{printable(pattern)}.*'?" if below else did_you_mean(pattern, keys)
    return f"no config key of {job} matches '{printable(pattern)}'.{question}"
