"""The relations for SQLAlchemy are those of the database: every relation, column, type and as-of function."""

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import Connection, FromClause, create_engine, select, text

import coordstream.relations
from coordstream.relations import RELATIONS, as_of, config

AT: Final = datetime(2026, 11, 21, 9, 17, tzinfo=UTC)
JOB: Final = ("wordcount_pv", "1")
COLUMNS: Final = text("""
select c.relname, json_object_agg(a.attname, format_type(a.atttypid, a.atttypmod) order by a.attnum)::text as columns
from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
where c.relnamespace = 'coordinator'::regnamespace and c.relkind = 'v' group by c.relname order by c.relname
""")
HELD: Final = Path(coordstream.relations.__file__).with_name("data") / "relations.json"
WITH_FUNCTION: Final = text("""
select replace(proname, '_as_of', '') from pg_proc
where pronamespace = 'coordinator'::regnamespace and right(proname, 6) = '_as_of' order by proname
""")


@pytest.fixture
def database(database_url: str) -> Iterator[Connection]:
    engine = create_engine(database_url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect() as connection:
        yield connection
    engine.dispose()


POSTGRES: Final = create_engine("postgresql+psycopg://").dialect


def columns_of(relation: FromClause) -> list[list[str]]:
    return [[each.name, each.type.compile(POSTGRES)] for each in relation.c]


def test_every_relation_has_the_columns_and_types_of_the_database(database: Connection) -> None:
    rows = [f'  "{row.relname}": {json.dumps(json.loads(row.columns))}' for row in database.execute(COLUMNS)]
    found = "{\n" + ",\n".join(rows) + "\n}\n"
    if os.environ.get("RENEW_GOLDEN"):
        HELD.write_text(found, encoding="utf-8")
    assert HELD.read_text(encoding="utf-8") == found


def test_every_relation_is_imported_by_its_name() -> None:
    assert {name: getattr(coordstream.relations, name) for name in RELATIONS} == RELATIONS
    assert RELATIONS.keys() < {*dir(coordstream.relations)}


def test_every_relation_can_be_read_as_of_a_time(database: Connection) -> None:
    names = list(database.scalars(WITH_FUNCTION))
    assert "starting_offset" in names
    for name in names:
        rows = as_of(RELATIONS[name], *JOB, AT)
        assert columns_of(rows) == columns_of(RELATIONS[name])
        assert database.execute(select(rows)).keys() == list(RELATIONS[name].c.keys())


def test_a_time_has_a_zone() -> None:
    with pytest.raises(ValueError, match="2026-11-21 09:17:00 has no time zone"):
        as_of(config, *JOB, AT.replace(tzinfo=None))
