import itertools

import pytest
from psycopg import sql

from coordstream.serve.in_turns import SLOW_SECONDS, InTurns, JobKey
from eventlog.postgres.connection import Connection

A, B, C = ("a", "1"), ("b", "1"), ("c", "1")
TURN = sql.SQL("select %(job_name)s::text as job_name, %(job_id)s::text as job_id, nextval('pg_temp.turn') as turn")


@pytest.fixture
def in_turns(connection: Connection) -> InTurns:
    """Each look at its clock takes a second; a call has time for one job only."""
    connection.execute("create temp sequence turn")
    ticks = itertools.count()
    return InTurns(TURN, budget_seconds=1, clock=lambda: next(ticks))


def read(in_turns: InTurns, connection: Connection, versions: dict[JobKey, int]) -> dict[str, int]:
    """The turn in which each job was read last."""
    return {row["job_name"]: row["turn"] for row in in_turns.read(connection, versions)}


def test_each_call_reads_the_jobs_that_waited_longest(connection: Connection, in_turns: InTurns) -> None:
    versions = dict.fromkeys((A, B, C), 1)
    assert (read(in_turns, connection, versions), in_turns.waiting) == ({"a": 1}, 2)
    assert (read(in_turns, connection, versions), in_turns.waiting) == ({"a": 1, "b": 2}, 1)
    versions = dict.fromkeys((A, B, C), 2)
    assert (read(in_turns, connection, versions), in_turns.waiting) == ({"a": 1, "b": 2, "c": 3}, 2)
    assert (read(in_turns, connection, versions), in_turns.waiting) == ({"a": 4, "b": 2, "c": 3}, 1)


def test_a_job_that_has_not_changed_is_not_read_again(connection: Connection, in_turns: InTurns) -> None:
    assert read(in_turns, connection, {A: 1}) == {"a": 1}
    assert (read(in_turns, connection, {A: 1}), in_turns.waiting) == ({"a": 1}, 0)
    assert (read(in_turns, connection, {A: 1, B: 1}), in_turns.waiting) == ({"a": 1, "b": 2}, 0)


def test_a_job_that_is_gone_has_no_rows(connection: Connection, in_turns: InTurns) -> None:
    read(in_turns, connection, {A: 1})
    assert read(in_turns, connection, {B: 1}) == {"b": 2}


def test_a_job_whose_query_is_cancelled_keeps_its_rows_and_delays_others_rarely(connection: Connection) -> None:
    connection.execute("create temp table asked (job_name text)")
    query = sql.SQL(
        "with a as (insert into asked values (%(job_name)s))"
        " select %(job_name)s::text as job_name, pg_sleep(n) from pg_temp.slowness(%(job_name)s) n"
    )
    connection.execute(
        "create function pg_temp.slowness(name text) returns float8 language sql as"
        " $$select case when name = 'b' and current_setting('test.is_slow', true) = 'yes' then 600 else 0 end$$"
    )
    now = [0.0]
    in_turns = InTurns(query, clock=lambda: now[0])

    def read_all(version: int) -> tuple[list[str], int]:
        rows = in_turns.read(connection, dict.fromkeys((A, B, C), version))
        return sorted(row["job_name"] for row in rows), in_turns.waiting

    assert read_all(1) == (["a", "b", "c"], 0)
    connection.execute("set local statement_timeout = '20ms'; set local test.is_slow = 'yes'")
    assert read_all(2) == (["a", "b", "c"], 1)
    connection.execute("set local test.is_slow = 'no'")
    assert read_all(2) == (["a", "b", "c"], 1)
    now[0] = SLOW_SECONDS
    assert read_all(2) == (["a", "b", "c"], 0)
