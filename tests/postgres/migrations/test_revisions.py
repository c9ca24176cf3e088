"""The revisions: one line of them, in step with the names of the tables and with the golden schema."""

import ast
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pytest
from alembic.script import ScriptDirectory

from coordstream.database import migrations_folder
from coordstream.errors import CoordstreamError
from coordstream.migrate import upgrade
from eventlog.postgres.connection import Connection
from projections.relations import LOG_TABLES, TABLES
from tests.postgres.migrations.schema_dump import schema_of, without_relations

GOLDEN: Final = Path(__file__).with_name("schema.sql")
RENEW: Final = "RENEW_GOLDEN"
KEYS: Final = """
select c.relnamespace::regnamespace || '.' || c.relname,
       array_agg(a.attname::text order by array_position(i.indkey::int2[], a.attnum))
from pg_index i join pg_class c on c.oid = i.indrelid
join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
where i.indisprimary and not c.relispartition and c.relnamespace::regnamespace::text in ('eventlog', 'projection')
group by 1
"""
VERSIONS: Final = sorted((migrations_folder() / "versions").glob("*.py"))


def test_there_is_one_head_and_one_base() -> None:
    script = ScriptDirectory(str(migrations_folder()))
    assert len(script.get_heads()) == 1
    assert len(script.get_bases()) == 1
    assert len(list(script.walk_revisions())) == len(VERSIONS)


@pytest.mark.parametrize("path", VERSIONS, ids=lambda path: path.stem)
def test_a_revision_imports_nothing_that_changes_later(path: Path) -> None:
    tree = ast.parse(path.read_text())
    imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    assert {name.partition(".")[0] for name in imported} <= {"alembic", "pathlib"}


def test_the_tables_and_their_keys_are_those_of_the_revisions(connection: Connection) -> None:
    keys: dict[str, list[str]] = dict(connection.execute(KEYS).fetchall())
    assert set(keys) - {"eventlog.alembic_version"} == set(TABLES)
    assert {name: ("log_id", *key) for name, key in LOG_TABLES.items()} == {
        name: tuple(keys[f"projection.{name}"]) for name in LOG_TABLES
    }


def test_a_broken_installation_is_reported(tmp_path: Path) -> None:
    with pytest.raises(CoordstreamError, match=r"^No migrations in .* or beside it\. Reinstall coordstream\.$"):
        migrations_folder(tmp_path)


def test_threads_may_migrate_one_database_at_once(empty_database_url: str, database_url: str) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(upgrade, [empty_database_url] * 4))
    assert schema_of(empty_database_url) == schema_of(database_url)


def test_the_schema_is_the_golden_one(database_url: str) -> None:
    schema = without_relations(schema_of(database_url))
    if os.environ.get(RENEW):
        GOLDEN.write_text(schema)
    advice = f"the schema changed: if it was meant to, run this test with {RENEW}=1 in the environment, and commit"
    assert GOLDEN.read_text() == schema, f"{advice} {GOLDEN.name}"
