"""The text of the SQL views and functions, and what tells one program's from another's."""

import hashlib
import re
from functools import cache
from importlib.resources import files
from typing import Final

_VIEW: Final = re.compile(r"^create view (\S+)", re.MULTILINE)
_TABLE: Final = re.compile(r'^\w+ = Table\(\s*"(\w+)"', re.MULTILINE)


@cache
def definitions() -> tuple[tuple[str, str], ...]:
    """Name (file name without its ending) and SQL of every view and function, in the order in which they are made."""
    folder = files("projections") / "sql"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return tuple((name.removesuffix(".sql"), (folder / name).read_text(encoding="utf-8")) for name in names)


@cache
def digest() -> str:
    """What tells one set of definitions from another: 16 hexadecimal digits."""
    lines = "\0".join(f"{name}\0{sql}" for name, sql in definitions())
    return hashlib.sha256(lines.encode()).hexdigest()[:16]


@cache
def views() -> list[str]:
    """The names of the views, with their schema."""
    return [name for _, sql in definitions() for name in _VIEW.findall(sql)]


@cache
def tables() -> list[str]:
    """The names of the tables that `projections.tables` and `eventlog.tables` define, with their schema.

    Read from the text of these modules, since importing them loads SQLAlchemy.
    """
    return [
        f"{schema}.{name}"
        for schema, room in (("eventlog", "eventlog"), ("projection", "projections"))
        for name in _TABLE.findall((files(room) / "tables.py").read_text(encoding="utf-8"))
    ]
