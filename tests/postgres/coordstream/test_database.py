import re

import psycopg
import pytest
from psycopg import sql

from coordstream.database import DatabaseError, DatabaseUnreachable, check_url, open_database
from tests.fixtures.coordstream.command_line import CommandLine


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:p%40x@h:1/d",
        "postgresql://h1:1,h2:2/d",
        "postgresql:///d?host=/run/postgresql",
        "postgresql://u@[::1]:1/d?sslmode=require",
    ],
)
def test_urls_of_libpq_are_accepted(url: str) -> None:
    check_url(url)


def test_a_database_that_does_not_answer_is_reported(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", "postgresql://u:hunter2@127.0.0.1:1/d")
    assert re.fullmatch(
        r"Cannot reach the database of COORDSTREAM_DATABASE_URL \(connection to server at \"127\.0\.0\.1\", port 1 "
        r"failed: .*\)\. Start it, or correct COORDSTREAM_DATABASE_URL\.",
        cli.refused("config", "show", "j"),
    )


def test_an_invalid_option_of_the_url_is_not_a_lost_connection(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", f"{cli.database_url}?connect_timeout=hunter2")
    sentence = (
        "Invalid option for the database of COORDSTREAM_DATABASE_URL: bad value for connect_timeout. "
        "Correct COORDSTREAM_DATABASE_URL, or PGCONNECT_TIMEOUT."
    )
    assert cli.refused("status") == sentence
    assert cli.refused("follow", "--all") == sentence


def test_a_value_that_the_driver_refuses_is_not_a_lost_connection(cli: CommandLine) -> None:
    with pytest.raises(DatabaseError) as raised, open_database() as database:
        database.connection.execute("select %s", ("hunter2\0",))
    assert not isinstance(raised.value, DatabaseUnreachable)
    assert str(raised.value) == (
        "The input has a value that the database of COORDSTREAM_DATABASE_URL cannot store (DataError), such as a text "
        "with a null character. Correct the input."
    )


def test_a_wrong_password_is_reported_and_not_printed(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = re.sub(r":[^:@]*@", ":hunter2@", cli.database_url)
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", wrong)
    sentence = cli.refused("status")
    assert '(password authentication failed for user "coordstream")' in sentence
    assert "hunter2" not in sentence


def test_a_database_without_a_schema_is_left_as_it_is(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch, empty_database_url: str
) -> None:
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", empty_database_url)
    assert cli.refused("status") == "No coordstream schema in this database. Run `coordstream db migrate`."
    with psycopg.connect(empty_database_url) as connection:
        assert connection.execute("select to_regnamespace('eventlog')").fetchall() == [(None,)]


def test_only_the_message_of_a_postgres_error_is_printed(cli: CommandLine) -> None:
    statement = sql.SQL("do $$ begin raise exception 'no' using detail = 'hunter2', hint = 'hunter2'; end $$")
    with pytest.raises(DatabaseError) as raised, open_database() as database:
        database.connection.execute(statement)
    assert str(raised.value) == "An error of the database of COORDSTREAM_DATABASE_URL: no."


def test_a_lost_connection_is_reported(cli: CommandLine) -> None:
    def ask_a_connection_that_was_ended() -> None:
        with open_database() as database:
            cli.ask(f"select pg_terminate_backend({database.connection.info.backend_pid}, 10000)")
            database.connection.execute("select 1")

    with pytest.raises(DatabaseUnreachable) as raised:
        ask_a_connection_that_was_ended()
    assert str(raised.value) == (
        "Lost the connection to the database of COORDSTREAM_DATABASE_URL "
        "(terminating connection due to administrator command). Try again when it is running."
    )
