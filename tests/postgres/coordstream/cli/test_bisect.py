"""`coordstream bisect`, on the job of recording A."""

from datetime import UTC, datetime, timedelta

import pytest

from coordstream.cli.bisect import JobCut, first_true
from coordstream.errors import CoordstreamError
from tests.fixtures.coordstream.command_line import CommandLine


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
        return JobCut(at, 1, 1, events - 1, None, None, -1)

    expires_at = start + timedelta(seconds=80)
    first, last = cut_at(start), cut_at(start + timedelta(seconds=100))
    with pytest.raises(CoordstreamError, match="true at 2026-11-21 00:01:20 UTC without an event"):
        first_true(first, last, cut_at, lambda cut: cut.at >= expires_at)
