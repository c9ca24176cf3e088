"""Connections as this product makes them."""

import re
from datetime import timedelta
from typing import Final

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from eventlog.postgres.connection import CONNECT_SECONDS, Connection, connect, refuses_login, server_reason

ODD: Final = (
    "-c datestyle=German,DMY -c intervalstyle=iso_8601 -c extra_float_digits=-5 -c bytea_output=escape"
    " -c default_transaction_isolation=serializable"
)


def test_defaults_of_a_database_change_no_value(database_url: str) -> None:
    query = "select now(), interval '26 hours', 0.1::float8 + 0.2, '\\xff'::bytea::text, current_setting(%s)"
    with connect(make_conninfo(database_url, options=ODD)) as connection:
        now, *values = connection.execute(query, ("transaction_isolation",)).fetchone() or ()
    assert now.tzinfo is not None
    assert values == [timedelta(hours=26), 0.1 + 0.2, "\\xff", "read committed"]


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_texts_are_sent_in_utf_8(database_url: str, monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    monkeypatch.setenv("PGCLIENTENCODING", encoding)
    for url in (database_url, make_conninfo(database_url, client_encoding=encoding)):
        with connect(url) as connection:
            row = connection.execute("select %s, convert_to(%s, 'UTF8')", ("é😀", "é😀")).fetchone()
        assert row == ("é😀", "é😀".encode())


def test_a_dead_peer_is_noticed_in_half_a_minute(connected: Connection, database_url: str) -> None:
    options = connected.info.get_parameters()
    idle, interval, count = (int(options[f"keepalives_{name}"]) for name in ("idle", "interval", "count"))
    assert idle + interval * count <= 30
    assert options["tcp_user_timeout"] == "30000"  # milliseconds
    assert connected.execute("show tcp_user_timeout").fetchone() == ("0",)  # a paused reader keeps its session
    with connect(make_conninfo(database_url, keepalives_idle=9, tcp_user_timeout=90_000)) as other:
        found = other.info.get_parameters()
    assert (found["keepalives_idle"], found["tcp_user_timeout"]) == ("9", "90000")


def test_a_client_that_is_gone_is_noticed_by_the_server(connected: Connection) -> None:
    names = ("tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count")
    idle, interval, count = (connected.execute(f"show {name}".encode()).fetchone() for name in names)
    assert (idle, interval, count) == (("15",), ("5",), ("3",))
    assert connected.execute("show client_connection_check_interval").fetchone() == ("2s",)


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("select 'pl4nted'::bigint", "invalid input syntax for type bigint"),
        ("select '{pl4nted'::jsonb", "invalid input syntax for type json"),
        ("select from pl4ced", 'relation "pl4ced" does not exist'),
        ("insert into eventlog.log_head values (1, null)", None),
    ],
)
def test_the_reason_of_a_server_has_no_values(connected: Connection, query: str, reason: str | None) -> None:
    with pytest.raises(psycopg.Error) as refused:
        connected.execute(query.encode())
    said = server_reason(refused.value)
    assert said is not None
    assert "pl4nted" not in said
    assert "Failing row" not in said
    assert reason is None or said == reason


def test_a_lost_connection_is_not_the_servers_reason() -> None:
    assert server_reason(psycopg.OperationalError("gone")) is None


@pytest.mark.parametrize(
    ("url", "environment", "seconds"),
    [("", None, CONNECT_SECONDS), ("?connect_timeout=3", None, 3), ("?connect_timeout=3", "7", 3), ("", "7", 7)],
)
def test_connecting_to_a_server_that_does_not_answer_times_out(
    database_url: str, monkeypatch: pytest.MonkeyPatch, url: str, environment: str | None, seconds: int
) -> None:
    monkeypatch.delenv("PGCONNECT_TIMEOUT", raising=False)
    if environment is not None:
        monkeypatch.setenv("PGCONNECT_TIMEOUT", environment)
    with connect(f"{database_url}{url}") as connection:
        assert connection.info.get_parameters()["connect_timeout"] == str(seconds)


@pytest.mark.parametrize(
    ("pattern", "other", "is_refused"),
    [
        (r"(//[^:]*):[^@]*@", r"\1:wrong@", True),
        (r"//[^:]*:", "//unknown-host:", True),
        (r"/[^/]*$", "/no-such-database", True),
        (r"$", "?sslmode=bogus", True),
        (r"$", "?keepalives=bogus", True),
        (r":[0-9]+/", ":99999/", True),
        (r":[0-9]+/", ":1/", False),
    ],
    ids=["password", "user", "database", "mode", "number", "port number", "port"],
)
def test_a_refused_login_and_an_unreachable_server_differ(
    database_url: str, pattern: str, other: str, is_refused: bool
) -> None:
    with pytest.raises(psycopg.OperationalError) as failed:
        connect(re.sub(pattern, other, database_url))
    assert refuses_login(failed.value) is is_refused


def test_a_starting_or_full_server_is_not_a_refusal() -> None:
    for reason in ("the database system is starting up", "sorry, too many clients already"):
        assert not refuses_login(psycopg.OperationalError(f"connection failed: FATAL:  {reason}"))
