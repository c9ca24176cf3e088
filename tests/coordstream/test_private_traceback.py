"""Tracebacks without the data that errors quote."""

import psycopg
import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from coordstream.errors import CoordstreamError
from coordstream.private_traceback import LEFT_OUT, private_traceback
from eventlog.postgres.connection import Connection, connect

PLANTED = "pl4nted"


def planted_table(connection: Connection) -> None:
    connection.execute("create table pg_temp.t (a text unique, b text not null, c bytea)")
    connection.execute("insert into t values (%s, 'x', null)", (PLANTED,))


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("insert into t values (%s, 'x', null)", 'duplicate key value violates unique constraint "t_a_key"'),
        ("insert into t values (%s, null, null)", 'null value in column "b" of relation "t" violates not-null'),
        ("select %s::text::bigint", "invalid input syntax for type bigint (SQLSTATE 22P02)"),
    ],
)
def test_values_that_postgres_quotes_are_left_out(database_url: str, statement: str, reason: str) -> None:
    with connect(database_url) as connection:
        planted_table(connection)
        with pytest.raises(psycopg.Error) as refused:
            connection.execute(statement.encode(), (PLANTED,))
    assert PLANTED in str(refused.value)
    printed = private_traceback(refused.value)
    assert PLANTED not in printed
    assert reason in printed
    assert "test_private_traceback.py" in printed


def test_the_parameters_of_a_statement_are_left_out(database_url: str) -> None:
    engine = create_engine(database_url.replace("postgresql://", "postgresql+psycopg://", 1), poolclass=NullPool)
    with engine.connect() as connection, pytest.raises(DBAPIError) as refused:
        connection.execute(text("select cast(cast(:a as text) as bigint)"), {"a": PLANTED})
    assert PLANTED in str(refused.value)
    assert PLANTED not in private_traceback(refused.value)


def test_the_causes_of_an_error_are_shown_too() -> None:
    printed = private_traceback(_caught())
    first, second, third = printed.split("Traceback (most recent call last):\n")[1:]
    assert f"builtins.ValueError: {LEFT_OUT}" in first
    assert "During handling of the above exception" in first
    assert f"builtins.KeyError: {LEFT_OUT}" in second
    assert "direct cause" in second
    assert third.endswith("coordstream.errors.CoordstreamError: the sentence.\n")
    assert printed.count(PLANTED) == 0


def _caught() -> Exception:
    try:
        _fail(PLANTED)
    except CoordstreamError as error:
        return error
    raise AssertionError


def _fail(planted: str) -> None:
    try:
        try:
            int(planted)
        except ValueError:
            dict[str, str]()[planted]
    except KeyError as error:
        raise CoordstreamError("the sentence.") from error
