"""`coordstream grant`: what a database user may do, as one of three roles."""

from enum import StrEnum
from typing import Annotated, Final

import typer
from psycopg import sql
from psycopg.errors import InsufficientPrivilege

from coordstream.cli.arguments import Json
from coordstream.cli.output import print_json
from coordstream.database import open_database
from coordstream.errors import CoordstreamError
from eventlog.postgres.connection import Connection

app = typer.Typer()

_LOGIN: Final = "select rolcanlogin from pg_roles where rolname = %s"
_EXISTS: Final = "select from pg_roles where rolname = %s"
_GRANTORS: Final = """
select pg_get_userbyid(m.grantor) from pg_auth_members m
join pg_roles r on r.oid = m.roleid and r.rolname = %s
join pg_roles u on u.oid = m.member and u.rolname = %s
order by 1
"""


class Role(StrEnum):
    """What a user may do. Each is a Postgres role with the prefix ``coordstream_``."""

    READER = "reader"
    REPLAYER = "replayer"
    WRITER = "writer"

    @property
    def in_postgres(self) -> str:
        """The name of the Postgres role."""
        return f"coordstream_{self}"


@app.command()
def grant(
    role: Annotated[
        Role,
        typer.Argument(
            metavar="ROLE",
            help="reader: reads the relations, with secrets as fingerprints. replayer: also reads the bytes of the "
            "archive. writer: appends to logs in Postgres, and reads their bytes.",
        ),
    ],
    user: Annotated[str, typer.Argument(metavar="USER", help="A database user with the right to log in.")],
    revoke: Annotated[bool, typer.Option("--revoke", help="Revoke the role instead.")] = False,
    as_json: Json = False,
) -> None:
    """Grant a database user a role, or revoke it. Roles apply to all databases of the server."""
    with open_database() as database:
        changed = (_revoke if revoke else _grant)(database.connection, role, user)
    if as_json:
        print_json([{"user": user, "role": role.in_postgres, "is_granted": not revoke, "is_changed": changed}])
        return
    state = "is no longer" if revoke and changed else "is not" if revoke else "is now" if changed else "is already"
    print(f"{user} {state} a {role} ({role.in_postgres}).")


def _grant(connection: Connection, role: Role, user: str) -> bool:
    """True if the user did not have the role. Raises CoordstreamError: unknown user, or permission denied."""
    _require_user(connection, user)
    _require_role(connection, role)
    if _grantors(connection, role, user):
        return False
    _change(connection, sql.SQL("grant {} to {}"), role, user)
    return True


def _revoke(connection: Connection, role: Role, user: str) -> bool:
    """True if the user had the role. Raises CoordstreamError: unknown user, or another user granted it."""
    _require_user(connection, user)
    if not _grantors(connection, role, user):
        return False
    _change(connection, sql.SQL("revoke {} from {}"), role, user)
    if left := _grantors(connection, role, user):
        raise CoordstreamError(
            f"User {user!r} was granted {role.in_postgres} by {', '.join(left)}, who has to revoke it (or a superuser)."
        )
    return True


def _change(connection: Connection, statement: sql.SQL, role: Role, user: str) -> None:
    wanted = statement.format(sql.Identifier(role.in_postgres), sql.Identifier(user))
    try:
        connection.execute(wanted)
    except InsufficientPrivilege:
        raise CoordstreamError(
            f"Permission denied to grant or revoke {role.in_postgres}. Ask an administrator to run "
            f"`{wanted.as_string()}`."
        ) from None


def _require_user(connection: Connection, user: str) -> None:
    row = connection.execute(_LOGIN, (user,)).fetchone()
    if row is None:
        create = sql.SQL("create role {} login").format(sql.Identifier(user)).as_string()
        raise CoordstreamError(f"No database user {user!r}. Correct the name, or create the user (`{create}`).")
    if not row[0]:
        raise CoordstreamError(f"Role {user!r} cannot log in. Name a user, or grant the role with SQL.")


def _require_role(connection: Connection, role: Role) -> None:
    if connection.execute(_EXISTS, (role.in_postgres,)).fetchone() is None:
        raise CoordstreamError(
            f"No role {role.in_postgres} on this server: the database was restored without its roles. Ask an "
            f"administrator to run `create role {role.in_postgres} nologin`, then restore the database again."
        )


def _grantors(connection: Connection, role: Role, user: str) -> list[str]:
    """Who granted the role to the user."""
    return [name for (name,) in connection.execute(_GRANTORS, (role.in_postgres, user)).fetchall()]
