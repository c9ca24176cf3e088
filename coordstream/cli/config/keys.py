"""Which config keys a user means."""

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import Annotated, Final

import typer

from coordstream.cli.job.lookup import Job
from coordstream.cli.query.rows import Row
from eventlog.postgres.connection import Connection

KeyPattern = Annotated[
    str | None, typer.Option("--key", metavar="PATTERN", help="Keys that match, such as 'systems.*'.")
]
_KEYS: Final = """
select distinct k.message_key from projection.job_log j join projection.event_key k using (log_id)
where j.job_name = %s and j.job_id = %s and k.message_type = 'set-config' and not k.is_other order by k.message_key
"""


def matching(rows: Iterable[Row], pattern: str | None) -> Iterator[Row]:
    """The rows whose ``config_key`` matches the pattern of a shell; None: all of them."""
    return (row for row in rows if pattern is None or fnmatchcase(row["config_key"], pattern))


def keys_like(connection: Connection, job: Job, pattern: str) -> list[str]:
    """The keys that a job ever had and that match the pattern of a shell."""
    return [key for (key,) in connection.execute(_KEYS, job).fetchall() if fnmatchcase(key, pattern)]
