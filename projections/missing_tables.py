"""Detects dropped tables, and re-creates the projection, empty, from the migrations' revisions."""

from collections.abc import Callable, Sequence
from typing import Final

from sqlalchemy import Connection, text

from eventlog.postgres.tables import metadata as eventlog_metadata
from projections.errors import ArchiveMissing, RelationInUse
from projections.relations import drop_relations, missing_relations
from projections.tables import metadata as projection_metadata

Upgrade = Callable[[], None]

_HAS_SCHEMA: Final = text("select to_regnamespace('projection') is not null")
_TABLES: Final = text(
    "select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace"
    " where n.nspname = 'projection' and c.relkind in ('r', 'p') and not c.relispartition"
)
_DEPENDENT_OBJECTS: Final = "2BP01"


def missing_tables(connection: Connection) -> list[str]:
    """Return the names of the newest revision's tables that the database lacks, without partitions."""
    tables = [*eventlog_metadata.sorted_tables, *projection_metadata.sorted_tables]
    return missing_relations(connection, sorted(table.fullname for table in tables))


def is_projection_missing(connection: Connection, *, is_newest: bool) -> bool:
    """Return whether the projection is missing, or with ``is_newest``, a table of it; then the revision is the newest.

    Raises:
        ArchiveMissing: a table of the archive is missing, which cannot be re-created.
    """
    missing = missing_tables(connection) if is_newest else []
    lost = [name for name in missing if name.startswith("eventlog.")]
    if lost:
        raise ArchiveMissing(lost[0])
    return bool(missing) or not connection.scalar(_HAS_SCHEMA)


def require_no_projection(connection: Connection) -> None:
    """Raise ArchiveMissing if there is a projection, in a database without a revision and so without an archive."""
    if connection.scalar(_HAS_SCHEMA):
        raise ArchiveMissing("eventlog.alembic_version")


def recreate_projection(connection: Connection, upgrades: Sequence[Upgrade]) -> None:
    """Drop the rest of the projection, and run these revisions, oldest first, in the caller's transaction.

    The revisions also create an archive, which is dropped; the existing archive has another name meanwhile.

    Raises:
        RelationInUse: a user's object depends on it; the caller must roll back.
    """
    drop_relations(connection)
    for table in connection.scalars(_TABLES).all():
        _drop(connection, "table", f'projection."{table}"')
    for schema in ("projection", "coordinator"):
        _drop(connection, "schema", schema)
    connection.execute(text("alter schema eventlog rename to eventlog_kept"))
    connection.execute(text("create schema eventlog"))
    for upgrade in upgrades:
        upgrade()
    connection.execute(text("drop schema eventlog cascade"))
    connection.execute(text("alter schema eventlog_kept rename to eventlog"))


def _drop(connection: Connection, kind: str, name: str) -> None:
    try:
        connection.exec_driver_sql(f"drop {kind} if exists {name}")
    except Exception as error:
        if getattr(getattr(error, "orig", None), "sqlstate", None) == _DEPENDENT_OBJECTS:
            raise RelationInUse(name) from error
        raise
