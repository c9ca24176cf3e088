"""Alembic's environment: one transaction for all revisions and for the relations on top of them.

If the projection was re-created, ``config.attributes["unfolded"]`` has the streams to rebuild.
"""

from typing import cast

from alembic import context
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from eventlog.postgres.connection import Connection as DriverConnection
from eventlog.postgres.tables import metadata as eventlog_metadata
from projections.missing_tables import is_projection_missing, recreate_projection, require_no_projection
from projections.rebuild import mark_for_rebuild
from projections.relations import create_relations, digest, drop_relations, installed_digest
from projections.tables import metadata as projection_metadata

UPGRADE_LOCK = 0x636F6F7264  # "coord"
VERSION_SCHEMA = "eventlog"


def is_ours(name: str | None, kind: str, _parents: object) -> bool:
    """Compare only our schemas, without the partitions that the projector creates."""
    if kind == "schema":
        return name in {"eventlog", "projection"}
    return not (kind == "table" and name is not None and "_from_" in name)


def take_turns(connection: Connection) -> None:
    """Prevent other sessions from migrating until the transaction ends.

    Any login can take an advisory lock, so one is used only if the version table does not exist yet.
    """
    exists = text("select to_regclass('eventlog.alembic_version') is not null")
    if not connection.scalar(exists):
        connection.execute(text("select pg_advisory_xact_lock(:key)"), {"key": UPGRADE_LOCK})
    if connection.scalar(exists):
        connection.execute(text("lock table eventlog.alembic_version in exclusive mode"))


def run(connection: Connection) -> None:
    """Take the lock, run the revisions, and create the relations of this program."""
    connection.execute(text("set local lock_timeout = '60s'"))
    take_turns(connection)
    connection.execute(text("set local lock_timeout = '5s'"))
    connection.execute(text("create schema if not exists eventlog"))
    context.configure(
        connection=connection,
        target_metadata=[eventlog_metadata, projection_metadata],
        include_schemas=True,
        include_name=is_ours,
        version_table_schema=VERSION_SCHEMA,
    )
    migration = context.get_context()
    script: ScriptDirectory = context.script
    head = script.get_current_head()
    is_recreated = recreate_if_missing(connection, migration, script)
    if migration.get_current_revision() == head and installed_digest(connection) == digest():
        destination = context.get_revision_argument()
        if destination in ("head", "heads", head):  # None is base: the way down
            return
    drop_relations(connection)
    context.run_migrations()
    if migration.get_current_revision() == head:
        connection.execute(text("create schema if not exists coordinator"))
        create_relations(connection)
        if is_recreated:
            driver = cast("DriverConnection", connection.connection.dbapi_connection)
            context.config.attributes["unfolded"] = mark_for_rebuild(driver)


def recreate_if_missing(connection: Connection, migration: MigrationContext, script: ScriptDirectory) -> bool:
    """Make the projection again where it, or a table of it, was dropped; False where all is there."""
    revision = migration.get_current_revision()
    if revision is None:
        require_no_projection(connection)
        return False
    if not is_projection_missing(connection, is_newest=revision == script.get_current_head()):
        return False
    revisions = reversed(list(script.iterate_revisions(revision, "base")))
    with Operations.context(migration):
        recreate_projection(connection, [revision.module.upgrade for revision in revisions])
    return True


run(context.config.attributes["connection"])
