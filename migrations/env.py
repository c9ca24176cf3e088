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
from projections.relations import (
    create_relations,
    digest,
    drop_relations,
    installed_digest,
    is_projection_missing,
    recreate_projection,
)
from projections.rights import grant_missing_rights
from projections.tracked_logs import mark_for_rebuild


def run(connection: Connection) -> None:
    """Run the revisions, and create the relations of this program."""
    connection.execute(text("create schema if not exists eventlog"))
    context.configure(connection=connection, version_table_schema="eventlog")
    migration = context.get_context()
    script: ScriptDirectory = context.script
    is_newest = migration.get_current_revision() == script.get_current_head()
    driver = cast("DriverConnection", connection.connection.dbapi_connection)
    is_recreated = recreate_if_missing(driver, migration, script)
    if not is_newest or installed_digest(driver) != digest():
        drop_relations(driver)
        context.run_migrations()
        driver.execute("create schema if not exists coordinator")
        create_relations(driver)
    grant_missing_rights(driver)
    if is_recreated:
        context.config.attributes["unfolded"] = mark_for_rebuild(driver)


def recreate_if_missing(connection: DriverConnection, migration: MigrationContext, script: ScriptDirectory) -> bool:
    """Create the projection again where it, or a table of it, was dropped; False where all is there."""
    if not is_projection_missing(connection, is_migrated=migration.get_current_revision() is not None):
        return False
    revisions = reversed(list(script.iterate_revisions("head", "base")))
    with Operations.context(migration):
        recreate_projection(connection, [revision.module.upgrade for revision in revisions])
    return True


run(context.config.attributes["connection"])
