"""`coordstream bisect`, on the job of recording A."""

from datetime import UTC, datetime, timedelta

import pytest

from coordstream.cli.bisect import BecameTrueWithoutEvent, JobCut, LogCut, first_true
from tests.coordstream.command_line import CommandLine

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


@pytest.mark.parametrize("words", [(), ("--from", "2026-11-21"), RUN_1])
def test_a_job_without_events_is_refused(cli: CommandLine, words: tuple[str, ...]) -> None:
    cli.done("log", "create", "__samza_coordinator_orders_1")
    cli.follow("--all", "--once")
    assert cli.refused("bisect", "orders", "true", *words) == "orders/1 has no events yet."


def test_a_range_in_which_nothing_changes_is_refused(wordcount: CommandLine) -> None:
    always = wordcount.refused("bisect", "wordcount_pv", "true")
    assert always.startswith("The condition is true at 2026-11-21 09:16:29 UTC already.")
    never = wordcount.refused("bisect", "wordcount_pv", "exists (select from config where config_value = '%s')")
    assert never.startswith("The condition is false at ")
    words = ("bisect", "wordcount_pv", "true", "--from")
    after = wordcount.refused(*words, "2027-01-01", "--to", "2027-01-02", code=2)
    assert "There are no events of wordcount_pv/1 between" in after
    reversed_ = wordcount.refused(*words, "2026-11-21T09:18Z", "--to", "2026-11-21T10:17+01:00", code=2)
    assert reversed_ == (
        "'--from' (2026-11-21 09:18:00 UTC) is after '--to' (2026-11-21 09:17:00 UTC). Exchange the two times. "
        "See `coordstream bisect --help`."
    )


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        ("nothing is here", "Invalid condition: syntax error"),
        ("exists (select from nowhere)", 'Invalid condition: relation "nowhere" does not exist'),
        (
            "true) is true; drop schema projection cascade; select (true",
            "Invalid condition: cannot insert multiple commands",
        ),
        ("select 1", "Invalid condition: argument of IS TRUE must be type boolean"),
        ("true) is true, (true", "Invalid condition: it is not one value."),
        ("'odd'", "Invalid condition: invalid input syntax for type boolean"),
    ],
)
def test_an_invalid_condition_is_refused(wordcount: CommandLine, condition: str, reason: str) -> None:
    assert wordcount.refused("bisect", "wordcount_pv", condition).startswith(reason)
    assert not wordcount.is_empty()


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
    with pytest.raises(BecameTrueWithoutEvent, match="true at 2026-11-21 00:01:20 UTC without an event"):
        first_true(first, last, cut_at, lambda cut: cut.at >= expires_at)
