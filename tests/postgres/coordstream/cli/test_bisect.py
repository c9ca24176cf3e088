"""`coordstream bisect`, on the job of recording A."""

from datetime import UTC, datetime, timedelta

import pytest

from coordstream.cli.bisect import JobCut, LogCut, first_true
from coordstream.errors import CoordstreamError
from tests.fixtures.coordstream.command_line import CommandLine

RUN_1, RUN_2 = ("--to", "2026-11-21T09:17:00Z"), ("--to", "2026-11-21T09:17:30Z")


def became_true(cli: CommandLine, condition: str, *words: str) -> tuple[str, int]:
    (row,) = cli.rows("bisect", "wordcount_pv", condition, *words)
    return row["stream_kind"], row["log_offset"]


def checked(cli: CommandLine, condition: str, kind: str, offset: int) -> bool:
    """The condition as of an offset by the relation's own as-of function."""
    ((answer,),) = cli.ask(condition.replace("@", f"_as_of_offset('wordcount_pv', '1', {offset}, '{kind}')"))
    return bool(answer)


def test_the_event_that_added_a_container_is_found(wordcount: CommandLine) -> None:
    more = "(select count(distinct container_id) from task_container) > 2"
    kind, offset = became_true(wordcount, more, *RUN_2)
    assert kind == "coordinator"
    query = "select count(distinct container_id) > 2 from coordinator.task_container@"
    assert (checked(wordcount, query, kind, offset - 1), checked(wordcount, query, kind, offset)) == (False, True)
    printed = wordcount.done("bisect", "wordcount_pv", more, *RUN_2)
    assert f"coordinator\t{offset}\t" in printed


def test_a_time_limit_of_the_server_is_not_a_fault_of_the_condition(
    wordcount: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGOPTIONS", "-c statement_timeout=300")
    slow = wordcount.refused("bisect", "wordcount_pv", "(select pg_sleep(60)::text) = ''")
    assert slow.endswith("canceling statement due to statement timeout.")
    assert "Invalid condition" not in slow


@pytest.mark.parametrize("events_at", [[0, 100], [0, 60, 100], [0]])
def test_a_condition_that_time_made_true_has_no_event(events_at: list[int]) -> None:
    start = datetime(2026, 11, 21, tzinfo=UTC)

    def cut_at(at: datetime) -> JobCut:
        events = sum(start + timedelta(seconds=each) <= at for each in events_at)
        return JobCut(at, LogCut(1, 1, events - 1), LogCut(None, None, -1))

    expires_at = start + timedelta(seconds=80)
    first, last = cut_at(start), cut_at(start + timedelta(seconds=100))
    with pytest.raises(CoordstreamError, match="true at 2026-11-21 00:01:20 UTC without an event"):
        first_true(first, last, cut_at, lambda cut: cut.at >= expires_at)
