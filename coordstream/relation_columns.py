"""The columns of the relations, for programs that should not wait until SQLAlchemy or psycopg is loaded."""

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Final

RELATION_COLUMNS: Final[Mapping[str, Mapping[str, str]]] = json.loads(
    files("coordstream").joinpath("data/relations.json").read_text(encoding="utf-8")
)
"""The columns of every relation, each with its type in SQL. ``make golden`` renews them from the database."""
