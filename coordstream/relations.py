"""The relations of the schema ``coordinator`` for SQLAlchemy, each under its name.

After ``from coordstream.relations import checkpoint``, use ``select(checkpoint.c.task_name)`` and ``join``. Types
are `Text`, `BigInteger`, `Integer`, `Boolean` and `DateTime` with a time zone. The relations are views, so they are
table clauses without a `MetaData`: `create_all` cannot create tables in their place. docs/relations.md describes each
relation and column. ``make golden`` renews ``data/relations.json``, their columns and types, from the database.
"""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    DateTime,
    Integer,
    TableClause,
    TableValuedAlias,
    Text,
    column,
    func,
    literal,
    table,
)
from sqlalchemy.types import TypeEngine

from coordstream.relation_columns import RELATION_COLUMNS

SCHEMA: Final = "coordinator"
_TIME: Final = DateTime(timezone=True)
_TYPES: Final[dict[str, TypeEngine[Any]]] = {
    "bigint": BigInteger(),
    "boolean": Boolean(),
    "integer": Integer(),
    "text": Text(),
    "timestamp with time zone": _TIME,
}

RELATIONS: Final[dict[str, TableClause]] = {
    name: table(name, *(column(each, _TYPES[kind]) for each, kind in columns.items()), schema=SCHEMA)
    for name, columns in RELATION_COLUMNS.items()
}
"""Every relation by its name."""


def __getattr__(name: str) -> TableClause:
    if name not in RELATIONS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return RELATIONS[name]


def __dir__() -> list[str]:
    return sorted([*globals(), *RELATIONS])


def as_of(relation: TableClause, job_name: str, job_id: str, at: datetime) -> TableValuedAlias:
    """The rows of a relation for one job as they were at a time: its ``_as_of`` function.

    Raises `ValueError`: the time has no zone.
    """
    if at.tzinfo is None:
        raise ValueError(f"{at} has no time zone: expected one, such as datetime(2026, 1, 31, tzinfo=UTC)")
    rows = getattr(getattr(func, SCHEMA), f"{relation.name}_as_of")(job_name, job_id, literal(at, _TIME))
    alias: TableValuedAlias = rows.table_valued(*(column(each.name, each.type) for each in relation.c))
    return alias.alias(relation.name)
