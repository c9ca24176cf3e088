"""`coordstream grant`: what a user of the database may do, by one of three roles."""

from enum import StrEnum
from typing import Annotated, Final

import typer
from psycopg import sql
from psycopg.errors import InsufficientPrivilege

from coordstream.cli.arguments.options import Json
from coordstream.cli.database import open_database
from coordstream.cli.output.tables import print_json
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
    """What a user may do; each is a role of Postgres with ``coordstream_`` before it."""

    READER = "reader"
    REPLAYER = "replayer"
    WRITER = "writer"

    @property
    def in_postgres(self) -> str:
        """The role's name there."""
        return f"coordstream_{self}"


@app.command()
def grant(
    role: Annotated[
        Role,
        typer.Argument(
            help="reader: the relations, secrets as fingerprints; replayer: also the archive's bytes; "
            "writer: appends to the logs of Postgres, and reads their bytes."
        ),
    ],
    user: Annotated[str, typer.Argument(metavar="USER", help="A user who can log in to the database.")],
    revoke: Annotated[bool, typer.Option("--revoke", help="Take the role away instead.")] = False,
    as_json: Json = False,
) -> None:
    """Give a user of the database a role, or take it away; it holds in all databases of the same server."""
    with open_database() as database:
        changed = (_revoke if revoke else _grant)(database.connection, role, user)
    if as_json:
        print_json([{"user": user, "role": role.in_postgres, "is_granted": not revoke, "is_changed": changed}])
        return
    state = "is no longer" if revoke and changed else "is not" if revoke else "is now" if changed else "is already"
    print(f"{user} {state} a {role} ({role.in_postgres}).")


def _grant(connection: Connection, role: Role, user: str) -> bool:
    """True if the user did not have the role. Raises CoordstreamError: there is no such user, or we may not."""
    _require_user(connection, user)
    _require_role(connection, role)
    if _grantors(connection, role, user):
        return False
    _change(connection, sql.SQL("grant {} to {}"), role, user)
    return True


def _revoke(connection: Connection, role: Role, user: str) -> bool:
    """True if the user had the role. Raises CoordstreamError: there is no such user, or another one gave it."""
    _require_user(connection, user)
    if not _grantors(connection, role, user):
        return False
    _change(connection, sql.SQL("revoke {} from {}"), role, user)
    if left := _grantors(connection, role, user):
        raise CoordstreamError(
            f"{user} has {role.in_postgres} from {', '.join(left)}: let them, or a superuser, revoke it."
        )
    return True


def _change(connection: Connection, statement: sql.SQL, role: Role, user: str) -> None:
    wanted = statement.format(sql.Identifier(role.in_postgres), sql.Identifier(user))
    try:
        connection.execute(wanted)
    except InsufficientPrivilege:
        raise CoordstreamError(
            f"this user of the database may not give or take {role.in_postgres}: "
            f"let an administrator run `{wanted.as_string()}`."
        ) from None


def _require_user(connection: Connection, user: str) -> None:
    row = connection.execute(_LOGIN, (user,)).fetchone()
    if row is None:
        create = sql.SQL("create role {} login").format(sql.Identifier(user)).as_string()
        raise CoordstreamError(f"the database has no user {user!r}: correct the name, or make the user (`{create}`).")
    if not row[0]:
        raise CoordstreamError(f"{user!r} is a role that nobody logs in as: name a user, or grant it with SQL.")


def _require_role(connection: Connection, role: Role) -> None:
    if connection.execute(_EXISTS, (role.in_postgres,)).fetchone() is None:
        raise CoordstreamError(
            f"this server has no role {role.in_postgres}, as where a database was restored without its roles: let an "
            f"administrator run `create role {role.in_postgres} nologin`, and restore the database again."
        )


def _grantors(connection: Connection, role: Role, user: str) -> list[str]:
    """Who gave the role to the user."""
    return [name for (name,) in connection.execute(_GRANTORS, (role.in_postgres, user)).fetchall()]
