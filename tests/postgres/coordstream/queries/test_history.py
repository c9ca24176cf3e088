"""Histories are selected by the server, and fetched as they are printed."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from coordstream.cli.checkpoint import COMMITS
from coordstream.database import open_database
from coordstream.queries import history
from coordstream.queries.history import History, select_history
from coordstream.queries.rows import PARTITION, Cut
from eventlog.postgres.connection import Connection, snapshot
from projections.job_choice import Job
from tests.fixtures.coordstream.command_line import CommandLine, config_event, recording

pytestmark = pytest.mark.slow

JOB: Final = Job("wordcount_pv", "1")
COUNTS: Final = Job("counts", "1")
# the record time of coordinator offset 112, the last event before run 2
BEFORE_RUN_2: Final = datetime.fromtimestamp(1795252620, UTC)
MILLISECOND: Final = timedelta(milliseconds=1)


def rows_of(connection: Connection, job: Job = JOB, **filters: Any) -> list[dict[str, Any]]:
    with snapshot(connection):
        return list(select_history(connection, job, History(**filters)))


def checkpoints(connection: Connection, **filters: Any) -> list[dict[str, Any]]:
    return rows_of(connection, relation="checkpoint_history", events=COMMITS, order=PARTITION, **filters)


def offsets(rows: list[dict[str, Any]]) -> list[int]:
    return list(dict.fromkeys(row["log_offset"] for row in rows))


def test_a_cut_applies_to_histories(wordcount: CommandLine) -> None:
    with open_database() as database:

        def found(relation: str, cut: Cut) -> list[int]:
            return [row["log_offset"] for row in rows_of(database.connection, relation=relation, cut=cut)]

        configs = found("config_history", Cut())
        assert found("config_history", Cut(BEFORE_RUN_2)) == [n for n in configs if n <= 112]
        commits = found("commit_history", Cut())
        assert commits == sorted(commits)
        assert found("commit_history", Cut(BEFORE_RUN_2)) == [n for n in commits if n <= 111]
        assert found("commit_history", Cut(datetime(2020, 1, 1, tzinfo=UTC))) == []


def test_times_bound_a_history_on_both_sides(wordcount: CommandLine) -> None:
    with open_database() as database:
        every = rows_of(database.connection, relation="commit_history")
        times = [datetime.fromisoformat(row["record_time"]) for row in every]
        assert times != sorted(times)  # containers write side by side
        first, last = sorted(times)[len(times) // 3], sorted(times)[len(times) // 2]

        def found(since: datetime | None = None, until: datetime | None = None) -> list[datetime]:
            rows = rows_of(database.connection, relation="commit_history", since=since, until=until)
            return [datetime.fromisoformat(row["record_time"]) for row in rows]

        assert found(since=first, until=last) == [time for time in times if first <= time <= last]
        assert found(since=first + MILLISECOND) == [time for time in times if time > first]
        assert found(until=last - MILLISECOND) == [time for time in times if time < last]
        assert found(since=max(times) + MILLISECOND) == found(until=min(times) - MILLISECOND) == []
        assert found(since=last, until=first) == []


def test_records_from_a_clock_ahead_are_found_by_their_times(cli: CommandLine, tmp_path: Path) -> None:
    hour = 3_600_000
    in_100_years = int(datetime.now(UTC).timestamp() * 1000) + 100 * 366 * 24 * hour
    events = [config_event(n, "a", str(n), time=in_100_years + n * hour) for n in range(4)]
    cli.done("import", recording(tmp_path / "r.jsonl", events))
    within = ("--since", str(events[1].timestamp), "--until", str(events[2].timestamp))
    for words in (("config", "history", "counts"), ("log", "show", "__samza_coordinator_counts_1")):
        assert [row["log_offset"] for row in cli.rows(*words, *within)] == [1, 2]


@pytest.mark.parametrize("limit", [1, 3, 7, 100_000])
@pytest.mark.parametrize("equal", [{}, {"is_preferred": True}, {"task_name": "Partition 1"}])
def test_a_limit_counts_whole_commits(
    wordcount: CommandLine, limit: int, equal: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "FIRST_WIDTH", 2)
    with open_database() as database:
        every = checkpoints(database.connection)
        chosen = [row for row in every if all(row[name] == value for name, value in equal.items())]
        newest = offsets(chosen)[-limit:]
        found = checkpoints(database.connection, equal=equal, limit=limit)
        assert found == [row for row in chosen if row["log_offset"] in newest]
        assert len(offsets(found)) == min(limit, len(newest))
        assert max(offsets(chosen).count(offset) for offset in newest) == 1


def test_a_limit_includes_older_incarnations(cli: CommandLine, tmp_path: Path) -> None:
    for value in ("old", "new"):
        events = [config_event(offset, "a", f"{value} {offset}") for offset in range(3)]
        cli.done("import", recording(tmp_path / f"{value}.jsonl", events))
    with open_database() as database:

        def found(limit: int) -> list[tuple[int, int]]:
            rows = rows_of(database.connection, COUNTS, relation="config_history", limit=limit)
            return [(row["incarnation"], row["log_offset"]) for row in rows]

        assert found(2) == [(2, 1), (2, 2)]
        assert found(4) == [(1, 2), (2, 0), (2, 1), (2, 2)]
        assert found(9) == [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)]


def test_a_history_is_one_snapshot(wordcount: CommandLine) -> None:
    with open_database() as database:
        with snapshot(database.connection):
            before = list(select_history(database.connection, JOB, History("config_history")))
            with wordcount.connection() as other:
                other.execute("delete from projection.message_event")
            assert list(select_history(database.connection, JOB, History("config_history"))) == before != []
        assert rows_of(database.connection, relation="config_history") == []
