"""The text of the SQL views and functions, and its digest. Every command computes the digest: keep it cheap."""

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
_TABLE: Final = re.compile(r'^\w+ = Table\(\s*"(\w+)"', re.MULTILINE)


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


@cache
def tables() -> list[str]:
    """The names of the tables that `projections.tables` and `eventlog.postgres.tables` define, with their schema.

    Read from the text of these modules, since importing them loads SQLAlchemy.
    """
    return [
        f"{schema}.{name}"
        for schema, package in (("eventlog", "eventlog.postgres"), ("projection", "projections"))
        for name in _TABLE.findall((files(package) / "tables.py").read_text(encoding="utf-8"))
    ]
