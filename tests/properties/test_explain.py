"""What `coordinator.explain` says wins is what `starting_offset` shows: for every task of many generated jobs."""

from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

import pytest

from coordstream.postgres import EmbeddedPostgres
from eventlog.postgres.connection import Connection, connect
from tests.acceptance.torture import scaled
from tests.fixtures.postgres import CloneSeries
from tests.oracle import Row
from tests.properties.generated_jobs import generate_job
from tests.properties.importing import import_log

pytestmark = [pytest.mark.slow, pytest.mark.torture]

JOBS: Final = scaled(60, 150)
TIMES: Final = ("2025-06-14 17:00+00", "2025-06-14 19:00+00", "2025-06-14 23:20:01+00", "2025-06-15 16:00+00", None)
"""Before some of the events, when some startpoints have expired, when all have, and now (null)."""

TRIED: Final = """
select n.job_name, n.task_name, e.system_name, e.stream_name, e.partition_id, e.key_bucket, e.outcome, e.rule,
  split_part(e.reason, ':', 1), e.candidate, e.log_offset
from (select distinct l.job_name, l.job_id, t.task_name
      from projection.job_log l cross join projection.message_event m
      cross join lateral jsonb_array_elements_text(m.body -> 'task_names') t(task_name)
      where m.log_id = l.log_id and m.body ? 'task_names'
      union
      select l.job_name, l.job_id, k.message_key
      from projection.job_log l join projection.event_key k using (log_id) where k.checkpoint_version is not null) n
cross join lateral coordinator.explain(n.job_name, n.job_id, n.task_name, %s) e
"""
DECIDED: Final = """
select s.job_name, s.task_name, s.system_name, s.stream_name, s.partition_id, s.key_bucket,
  s.decided_by, s.ignored_reason,
  case s.decided_by when 'startpoint' then concat_ws(' ', s.startpoint_type, s.startpoint_value)
    else s.startpoint_type end,
  case s.decided_by when 'startpoint' then s.startpoint_log_offset when 'checkpoint' then s.checkpoint_log_offset end
from {source} s
"""
AS_OF: Final = """(select s.* from (select distinct job_name, job_id from projection.job_log) j
  cross join lateral coordinator.starting_offset_as_of(j.job_name, j.job_id, %s) s)"""


@pytest.fixture(scope="module")
def jobs(postgres_server: EmbeddedPostgres, template_database: str) -> Iterator[Connection]:
    """Many generated jobs in one database."""
    with CloneSeries(postgres_server, template_database) as series, connect(series.next_url()) as connection:
        for number in range(JOBS):
            for log in generate_job(number).logs:
                import_log(connection, log)
        connection.execute("analyze")
        yield connection


class Answers(NamedTuple):
    """What ``explain`` and ``starting_offset`` return for all tasks at one time."""

    at: str | None
    tried: list[Row]
    decided: list[Row]


@pytest.fixture(scope="module", params=TIMES, ids=str)
def answers(jobs: Connection, request: pytest.FixtureRequest) -> Answers:
    """The answers at each time, queried once for all tests."""
    at = request.param
    return Answers(at, jobs.execute(TRIED.encode(), (at,)).fetchall(), starting_offsets(jobs, at))


def test_the_winner_is_the_starting_offset(answers: Answers) -> None:
    _, tried, decided = answers
    assert sorted(map(won, filter(is_winner, tried)), key=repr) == sorted(map(started, decided), key=repr)
    assert all(row[8] for row in tried), "every step has a reason"
    assert {row[7] for row in tried} == {"input", "startpoint", "reset", "checkpoint", "default"}
    assert len({row[6] for row in decided}) == 4, "each rule decides somewhere"


def test_what_starting_offset_ignored_is_among_the_losers(answers: Answers) -> None:
    at, tried, decided = answers
    lost = {(*row[:6], code_of(row)) for row in tried if row[6] == "loses"}
    ignored = [row for row in decided if row[7] is not None]
    assert [row for row in ignored if (*row[:6], row[7]) not in lost] == []
    print(f"\nignored at {at}: {Counter(row[7] for row in ignored)}")
    assert ignored


def starting_offsets(jobs: Connection, at: str | None) -> list[Row]:
    if at is None:
        return jobs.execute(DECIDED.format(source="coordinator.starting_offset").encode()).fetchall()
    return jobs.execute(DECIDED.format(source=AS_OF).encode(), (at,)).fetchall()


def is_winner(row: Row) -> bool:
    return bool(row[6] == "wins")


def won(row: Row) -> Row:
    """Task, partition, rule, candidate (of a checkpoint, its event), and the event if it is unique."""
    rule, candidate, event = row[7], row[9], row[10]
    by_event = rule in ("startpoint", "checkpoint")
    return (*row[:6], rule, None if rule == "checkpoint" else candidate, event if by_event else None)


def started(row: Row) -> Row:
    return (*row[:7], *row[8:])


def code_of(row: Row) -> str:
    """`starting_offset` calls a request older that was made at the same moment as the task's own."""
    return "older" if row[8] == "task's own" else str(row[8])
