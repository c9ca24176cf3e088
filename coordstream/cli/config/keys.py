"""The config keys that a pattern of ``--key`` matches."""

import shlex
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import Annotated, Final

import typer

from coordstream.cli.query.rows import Row
from eventlog.error_text import did_you_mean, printable_text
from eventlog.postgres.connection import Connection
from projections.job_choice import Job

KeyPattern = Annotated[
    str | None, typer.Option("--key", metavar="PATTERN", help="Show matching keys only, such as 'systems.*'.")
]
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
