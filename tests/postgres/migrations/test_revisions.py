"""The revisions: one line of them, in step with the metadata and with the golden schema."""

import ast
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import MetaData, create_engine
from sqlalchemy.pool import NullPool

from coordstream.database import migrations_folder
from coordstream.errors import CoordstreamError
from coordstream.migrate import upgrade
from eventlog.postgres.tables import metadata as eventlog_metadata
from projections.relation_files import tables
from projections.tables import metadata as projection_metadata
from tests.postgres.migrations.schema_dump import schema_of

GOLDEN: Final = Path(__file__).with_name("schema.sql")
RENEW: Final = "RENEW_GOLDEN"
VERSIONS: Final = sorted((migrations_folder() / "versions").glob("*.py"))


def both_metadata() -> MetaData:
    """The tables of both schemas in one collection."""
    both = MetaData()
    for metadata in (eventlog_metadata, projection_metadata):
        for table in metadata.sorted_tables:
            table.to_metadata(both)
    return both


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


def test_the_metadata_says_what_the_migrations_make(database_url: str) -> None:
    engine = create_engine(database_url.replace("postgresql://", "postgresql+psycopg://", 1), poolclass=NullPool)
    options = {
        "include_schemas": True,
        "include_name": lambda name, kind, _: kind != "schema" or name in ("eventlog", "projection"),
        "version_table_schema": "eventlog",
        "compare_type": True,
        "compare_server_default": True,
    }
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts=options)
        differences = compare_metadata(context, both_metadata())
    assert [found for found in differences if "comment" not in str(found[0])] == []


def test_the_tables_are_those_of_the_metadata() -> None:
    assert sorted(tables()) == sorted(table.fullname for table in both_metadata().sorted_tables)


def test_a_broken_installation_is_reported(tmp_path: Path) -> None:
    with pytest.raises(CoordstreamError, match=r"^No migrations in .* or beside it\. Reinstall coordstream\.$"):
        migrations_folder(tmp_path)


def test_threads_may_migrate_one_database_at_once(empty_database_url: str, database_url: str) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(upgrade, [empty_database_url] * 4))
    assert schema_of(empty_database_url) == schema_of(database_url)


def test_the_schema_is_the_golden_one(database_url: str) -> None:
    schema = schema_of(database_url)
    if os.environ.get(RENEW):
        GOLDEN.write_text(schema)
    advice = f"the schema changed: if it was meant to, run this test with {RENEW}=1 in the environment, and commit"
    assert GOLDEN.read_text() == schema, f"{advice} {GOLDEN.name}"
