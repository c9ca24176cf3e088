"""The names of the tables, and the text of the SQL views and functions, whose digest every command computes."""

import hashlib
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

MISSING_RELATIONS: Final = """
select name from unnest(%s::text[]) name
where not exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
                  where (n.nspname, c.relname) = (split_part(name, '.', 1), split_part(name, '.', 2)))
"""
"""Selects those of the given tables and views (``schema.name``) that the database lacks, whoever may read them."""

UNINDEXED_TABLES: Final = """
select from pg_class c join pg_namespace n on n.oid = c.relnamespace
where not c.relhasindex and n.nspname || '.' || c.relname = any(%s::text[])
"""
"""Selects those of the given tables whose primary key does not exist yet: pg_restore makes it after it has loaded all
rows of the table.
"""

_VIEW: Final = re.compile(r"^create view (\S+)", re.MULTILINE)

LOG_TABLES: Final = {
    "checkpoint_current": ("key_id",),
    "checkpoint_envelope": ("log_offset",),
    "checkpoint_event": ("key_id", "log_offset"),
    "checkpoint_layout": ("layout_id", "n"),
    "event_key": ("key_id",),
    "gap": ("first_offset",),
    "log_time": ("log_offset",),
    "message_current": ("key_id",),
    "message_event": ("key_id", "log_offset"),
    "quarantine": ("log_offset",),
    "startpoint_reading": ("key_id", "n"),
    "suspect_checkpoint": ("log_offset", "key_id"),
}
"""The tables of ``projection`` whose rows are folded from a log's events, and their primary keys without ``log_id``."""

_ARCHIVE: Final = "log log_head event observation held_name relation_object horizon retired_stream input_bound"
_STATES: Final = "job_log position refused_stream stream_holder"
TABLES: Final = [
    *(f"eventlog.{name}" for name in _ARCHIVE.split()),
    *(f"projection.{name}" for name in (*_STATES.split(), *LOG_TABLES)),
]
"""The tables that the revisions create, with their schema."""


@cache
def definitions() -> dict[str, str]:
    """The SQL of every file in ``projections/sql`` by its path there without ``.sql``, sorted by path. The example
    queries of a relation, ``<relation>.queries.sql``, are for its documentation and left out.
    """
    return dict(sorted(_sql_files(files("projections") / "sql", "")))


def _sql_files(folder: Traversable, parent: str) -> Iterator[tuple[str, str]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _sql_files(entry, f"{parent}{entry.name}/")
        elif entry.name.endswith(".sql") and not entry.name.endswith(".queries.sql"):
            yield parent + entry.name.removesuffix(".sql"), entry.read_text(encoding="utf-8")


@cache
def digest() -> str:
    """16 hexadecimal digits that are the same for the same files with the same text."""
    lines = "\0".join(f"{path}\0{sql}" for path, sql in definitions().items())
    return hashlib.sha256(lines.encode()).hexdigest()[:16]


@cache
def views() -> list[str]:
    return [name for sql in definitions().values() for name in _VIEW.findall(sql)]
