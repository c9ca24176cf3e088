"""Tables that somebody dropped: those of the projection can be made again from the revisions, empty."""

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
    """The tables of the newest revision that the database lacks, by name; partitions are left out."""
    tables = [*eventlog_metadata.sorted_tables, *projection_metadata.sorted_tables]
    return missing_relations(connection, sorted(table.fullname for table in tables))


def is_projection_missing(connection: Connection, *, is_newest: bool) -> bool:
    """Whether the projection, or with ``is_newest``, which says that the revision is the newest, a table of it is gone.

    Raises:
        ArchiveMissing: a table of the archive is gone, which nothing can make again.
    """
    missing = missing_tables(connection) if is_newest else []
    lost = [name for name in missing if name.startswith("eventlog.")]
    if lost:
        raise ArchiveMissing(lost[0])
    return bool(missing) or not connection.scalar(_HAS_SCHEMA)


def require_no_projection(connection: Connection) -> None:
    """Raise ArchiveMissing where there is a projection: for a database that has no revision, and so no archive."""
    if connection.scalar(_HAS_SCHEMA):
        raise ArchiveMissing("eventlog.alembic_version")


def recreate_projection(connection: Connection, upgrades: Sequence[Upgrade]) -> None:
    """Drop what is left of the projection, and make it as these revisions do, oldest first.

    All in the caller's transaction. The revisions make an archive as well, which is dropped: the archive that is there
    is kept apart meanwhile.

    Raises:
        RelationInUse: something of the user's hangs on it; nothing may be committed then.
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
