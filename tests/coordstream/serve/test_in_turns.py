import itertools

import pytest
from psycopg import sql

from coordstream.serve.in_turns import InTurns, JobKey
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
