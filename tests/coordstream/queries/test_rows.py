from datetime import UTC, datetime

from psycopg import sql

from coordstream.database import open_database
from coordstream.queries.rows import Cut, Rows, fetch, state
from projections.job_choice import Job
from tests.coordstream.command_line import CommandLine

JOB = Job("wordcount_pv", "1")
# the record time of coordinator offset 112, the last event before run 2
BEFORE_RUN_2 = datetime.fromtimestamp(1795252620, UTC)


def test_times_outside_the_range_of_datetime_are_iso_texts(cli: CommandLine) -> None:
    query = sql.SQL("select timestamptz '2026-01-31 12:00:00.25+00' as a, timestamptz '20260-01-31 12:00+00' as b")
    with open_database() as database:
        assert fetch(database.connection, query) == [{"a": "2026-01-31T12:00:00.25Z", "b": "20260-01-31T12:00:00Z"}]


def test_states_at_a_cut(wordcount: CommandLine) -> None:
    with open_database() as database:
        counts = [
            len(state(database.connection, "startpoint_fan_out", JOB, cut))
            for cut in (Cut(), Cut(offset=112), Cut(offset=194), Cut(time=BEFORE_RUN_2))
        ]
    assert counts == [0, 0, 15, 0]


def test_columns_are_known_without_rows(wordcount: CommandLine) -> None:
    with open_database() as database:
        rows = state(database.connection, "checkpoint", Job("nope", "1"), Cut())
    assert isinstance(rows, Rows)
    assert (list(rows), rows.columns[:4]) == ([], ["job_name", "job_id", "job_bucket", "task_name"])
