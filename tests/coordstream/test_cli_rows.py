from datetime import UTC, datetime

from psycopg import sql

from coordstream.cli.cut import Cut
from coordstream.cli.database import open_database
from coordstream.cli.jobs import Job
from coordstream.cli.rows import fetch, history, state
from tests.coordstream.command_line import CommandLine

JOB = Job("wordcount_pv", "1")
# the record time of coordinator offset 112, the last event before run 2
BEFORE_RUN_2 = datetime.fromtimestamp(1795252620, UTC)


def test_times_are_iso_texts_also_where_datetime_ends(cli: CommandLine) -> None:
    query = sql.SQL("select timestamptz '2026-01-31 12:00:00.25+00' as a, timestamptz '20260-01-31 12:00+00' as b")
    with open_database() as database:
        assert fetch(database.connection, query) == [{"a": "2026-01-31T12:00:00.25Z", "b": "20260-01-31T12:00:00Z"}]


def test_states_are_cut(wordcount: CommandLine) -> None:
    with open_database() as database:
        counts = [
            len(state(database.connection, "startpoint_fan_out", JOB, cut))
            for cut in (Cut(), Cut(offset=112), Cut(offset=194), Cut(time=BEFORE_RUN_2))
        ]
    assert counts == [0, 0, 15, 0]


def test_histories_are_cut_like_states(wordcount: CommandLine) -> None:
    with open_database() as database:
        ask = database.connection

        def offsets(relation: str, cut: Cut, kind: str | None) -> list[int]:
            return [row["log_offset"] for row in history(ask, relation, JOB, cut, kind)]

        assert offsets("config_history", Cut(offset=112), "coordinator")[-1] <= 112
        everything = offsets("config_history", Cut(), None)
        assert offsets("config_history", Cut(offset=200), "coordinator") == [n for n in everything if n <= 200]
        commits = offsets("commit_history", Cut(), None)
        assert commits == sorted(commits)
        assert offsets("commit_history", Cut(offset=111), None) == [n for n in commits if n <= 111]
        assert offsets("commit_history", Cut(time=BEFORE_RUN_2), None) == [n for n in commits if n <= 111]
        assert offsets("commit_history", Cut(offset=112), "coordinator") == [n for n in commits if n <= 111]
