"""A job's config: its keys, its deployments, and how two states differ."""

import shlex
from collections.abc import Iterable, Iterator
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Final

from psycopg import sql

from coordstream.queries.rows import Row, fetch
from eventlog.errors import did_you_mean, printable_text
from eventlog.postgres.connection import Connection
from projections.job_choice import Job

_NEWEST: Final = sql.SQL("""
select * from (
  select d.* from coordinator.config_deployment d
  where d.job_name = %(name)s and d.job_id = %(id)s
    and (%(since)s::timestamptz is null or d.last_record_time >= %(since)s)
    and (%(until)s::timestamptz is null or d.first_record_time <= %(until)s)
  order by d.deployment_number desc limit %(limit)s) newest
order by deployment_number
""")
_KEYS: Final = """
select distinct k.message_key from projection.job_log j join projection.event_key k using (log_id)
where j.job_name = %s and j.job_id = %s and k.message_type = 'set-config' and not k.is_other order by k.message_key
"""


def matching(rows: Iterable[Row], pattern: str | None) -> Iterator[Row]:
    """The rows whose ``config_key`` matches a shell pattern; None matches all."""
    return (row for row in rows if pattern is None or fnmatchcase(row["config_key"], pattern))


def matching_keys(connection: Connection, job: Job, pattern: str) -> list[str]:
    """The keys that match a shell pattern, of all that the job has ever had."""
    return [key for key in _keys(connection, job) if fnmatchcase(key, pattern)]


def no_match(connection: Connection, job: Job, pattern: str) -> str:
    """A sentence about a pattern that matches no key in a state of the config, with a suggestion."""
    keys, shown = _keys(connection, job), printable_text(pattern)
    if any(fnmatchcase(key, pattern) for key in keys):
        history = shlex.join(["coordstream", "config", "history", str(job), "--key", shown])
        return f'Each config key of {job} that matches "{shown}" was deleted, or set later. See `{history}`.'
    below = any(key.startswith(f"{pattern}.") for key in keys)
    question = f' Did you mean "{shown}.*"?' if below else did_you_mean(pattern, keys)
    return f'No config key of {job} matches "{shown}".{question}'


def _keys(connection: Connection, job: Job) -> list[str]:
    return [key for (key,) in connection.execute(_KEYS, job).fetchall()]


def differences(before: Iterable[Row], after: Iterable[Row]) -> Iterator[Row]:
    """A row for each key that only one side has, or whose values differ, sorted by key."""
    first = {row["config_key"]: row for row in before}
    second = {row["config_key"]: row for row in after}
    for key in sorted(first.keys() | second.keys()):
        old, new = first.get(key), second.get(key)
        if old is None or new is None or old["config_value"] != new["config_value"]:
            yield {
                "config_key": key,
                "difference": "added" if old is None else "removed" if new is None else "changed",
                "from_value": None if old is None else old["config_value"],
                "to_value": None if new is None else new["config_value"],
                "is_sensitive": any(row["is_sensitive"] for row in (old, new) if row is not None),
            }


def newest_deployments(
    connection: Connection, job: Job, *, since: datetime | None = None, until: datetime | None, limit: int | None
) -> list[Row]:
    """The newest ``limit`` deployments (None: all) between two times, both inclusive, oldest first."""
    return fetch(connection, _NEWEST, {**job._asdict(), "since": since, "until": until, "limit": limit})


def writer(row: Row) -> str | None:
    """The writer of an event: source, user and host, as far as the envelope of its message has them."""
    place = "@".join(row[name] for name in ("username", "host") if row[name] is not None)
    if row["source"] is None:
        return place or None
    return f"{row['source']} ({place})" if place else str(row["source"])
