import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege
from pydantic import SecretStr

from coordstream.database import DatabaseError
from coordstream.serve import database
from coordstream.serve.application import Refused
from coordstream.serve.database import ReadPool
from coordstream.settings import Settings
from tests.fixtures.database_users import database_user


def pool_of(url: str, *, query_seconds: float = 10.0) -> ReadPool:
    return ReadPool(Settings(database_url=SecretStr(url)), url, query_seconds)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pool of one connection that gives up soon."""
    monkeypatch.setattr(database, "WAIT_SECONDS", 0.5)
    monkeypatch.setattr(database, "MOST_CONNECTIONS", 1)


def test_a_connection_can_neither_write_nor_see_secrets(database_url: str) -> None:
    pool = pool_of(database_url)
    with pool.snapshot() as connection:
        assert connection.execute("select current_user").fetchone() == ("coordstream_reader",)
    for statement in ("select from eventlog.event", "delete from projection.gap", "create temporary table t (n int)"):
        with pytest.raises((DatabaseError, Refused)) as refused, pool.snapshot() as connection:
            connection.execute(statement.encode())
        assert isinstance(refused.value.__cause__, InsufficientPrivilege | psycopg.errors.ReadOnlySqlTransaction)
    pool.close()


@pytest.mark.parametrize(("role", "is_usable"), [("coordstream_reader", True), ("coordstream_replayer", False)])
def test_a_login_that_sees_secrets_must_be_able_to_give_that_up(
    database_url: str, role: str, is_usable: bool, impatient: None
) -> None:
    with database_user(database_url, role) as url:
        pool = pool_of(url)
        if is_usable:
            with pool.snapshot() as connection:
                assert connection.execute("select count(*) from coordinator.job").fetchone() == (0,)
        else:
            with pytest.raises(Refused, match="can read secrets, and is not a member of the role"), pool.snapshot():
                pass
        pool.close()


def test_all_queries_of_a_request_see_the_same_state(database_url: str, connection: psycopg.Connection[object]) -> None:
    pool = pool_of(database_url)
    with pool.snapshot() as reading:
        assert reading.execute("select count(*) from projection.refused_stream").fetchone() == (0,)
        connection.execute(
            "insert into projection.refused_stream values ('s', 'coordinator', '', '', '', 0, '', now())"
        )
        connection.commit()
        assert reading.execute("select count(*) from projection.refused_stream").fetchone() == (0,)
    pool.close()


def test_queries_have_limits_and_checked_values(database_url: str, connection: psycopg.Connection[object]) -> None:
    pool = pool_of(database_url, query_seconds=0.05)
    with pytest.raises(Refused, match=r"^The query took longer than 0\.05 s"), pool.snapshot() as reading:
        reading.execute("select pg_sleep(60)")
    message = "rejected a value: invalid input syntax for type integer"
    with pytest.raises(Refused, match=message) as rejected, pool.snapshot() as reading:
        reading.execute("select %s::text::integer", ("hunter2",))
    assert "hunter2" not in str(rejected.value)
    connection.execute("lock table projection.position")
    with pytest.raises(Refused, match=r"lock timeout\. Another session, such as a"), pool.snapshot() as reading:
        reading.execute("set local lock_timeout = '10ms'; select from projection.position")
    pool.close()


def test_a_timeout_of_the_login_does_not_keep_connections_from_being_opened(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "require_current", lambda opened: opened.execute("select pg_sleep(1.2)"))
    monkeypatch.setenv("PGOPTIONS", "-c statement_timeout=1s")
    pool = pool_of(database_url)
    with pool.snapshot() as reading:
        assert reading.execute("show statement_timeout").fetchone() == ("10s",)
    pool.close()


def test_more_requests_than_connections_wait_and_give_up(database_url: str, impatient: None) -> None:
    pool = pool_of(database_url)
    with pool.snapshot(), pytest.raises(Refused, match="Too many requests"), pool.snapshot():
        pass
    with pool.snapshot():
        pass
    pool.close()


def test_a_connection_that_was_ended_is_replaced(database_url: str, connection: psycopg.Connection[object]) -> None:
    pool = pool_of(database_url)
    with pool.snapshot() as reading:
        pid = reading.info.backend_pid
    connection.execute("select pg_terminate_backend(%s, 60000)", (pid,))
    with pool.snapshot() as reading:
        assert reading.info.backend_pid != pid
        connection.execute("select pg_terminate_backend(%s, 60000)", (reading.info.backend_pid,))
        with pytest.raises(psycopg.OperationalError):
            reading.execute("select 1")
    with pool.snapshot() as reading:
        assert reading.execute("select 1").fetchone() == (1,)
    pool.close()
