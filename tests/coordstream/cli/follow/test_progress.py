"""The lines of a follower on standard error."""

import io
import json
from datetime import datetime, timedelta, timezone

import pytest
from rich.console import Console

from coordstream.cli.follow.progress import LINE_SECONDS, FollowProgress, LogFormat, progress_line
from projections.follow.heartbeat import State
from projections.follow.tail import Progress

STATES: tuple[State, ...] = ("replacing", "live", "catching-up")
JANUARY_MS = 1_767_225_600_000
NOON = datetime(2026, 1, 31, 13, 0, 5, 999_000, timezone(timedelta(hours=1)))


def batch(state: State = "catching-up", *, events: int = 50, timestamp: int | None = JANUARY_MS) -> Progress:
    return Progress("orders", state, events, 100, 150, 900, timestamp)


class Clock:
    """A clock that a test advances."""

    now = 1_000.0

    def __call__(self) -> float:
        return self.now


def shown(*, terminal: bool, log_format: LogFormat = LogFormat.TEXT) -> tuple[io.StringIO, Clock, FollowProgress]:
    out, clock = io.StringIO(), Clock()
    console = Console(file=out, force_terminal=terminal, width=200)
    return out, clock, FollowProgress(console, clock, lambda: NOON, log_format)


@pytest.mark.parametrize(
    ("timestamp", "time"),
    [
        (JANUARY_MS, ", recorded at 2026-01-01 00:00:00 UTC"),
        (10**18, ", recorded at 1000000000000000000 ms"),
        (None, ""),
    ],
)
def test_a_batch_is_described_in_a_line(timestamp: int | None, time: str) -> None:
    expected = f"orders: catching-up, 50 events at offsets 100 to 149 of 900{time}; 12,346 events/s"
    assert progress_line(batch(timestamp=timestamp), 12_345.6) == expected


def test_without_a_terminal_a_line_comes_every_ten_seconds() -> None:
    out, clock, progress = shown(terminal=False)
    with progress:
        for _ in range(4):
            clock.now += LINE_SECONDS / 2
            progress.batch(batch())
    lines = out.getvalue().splitlines()
    assert [line.rpartition("; ")[2] for line in lines] == ["10 events/s", "10 events/s"]


def test_live_streams_print_nothing() -> None:
    out, clock, progress = shown(terminal=False)
    clock.now += 2 * LINE_SECONDS
    progress.batch(batch("live"))
    assert out.getvalue() == ""


def test_a_terminal_has_a_status_line_until_all_streams_are_live() -> None:
    out, clock, progress = shown(terminal=True)
    with progress:
        clock.now += 0.5
        moving = []
        for state in STATES:
            progress.batch(batch(state))
            moving.append(progress._is_moving)
    assert [*moving, progress._is_moving] == [True, False, True, False]
    assert "orders: replacing, 50 events" in out.getvalue()


def test_a_long_message_is_one_line() -> None:
    out, _, progress = shown(terminal=False)
    progress.message("word " * 100)
    assert out.getvalue().count("\n") == 1
    assert out.getvalue().startswith("2026-01-31T12:00:05Z word word")


def test_an_empty_message_prints_nothing() -> None:
    out, _, progress = shown(terminal=False)
    progress.message("")
    assert out.getvalue() == ""


def test_lines_may_be_json() -> None:
    out, clock, progress = shown(terminal=True, log_format=LogFormat.JSON)
    progress.message('it says "[bold]no[/bold]" ' + "word " * 100)
    clock.now += LINE_SECONDS
    progress.batch(batch())
    said, caught_up = map(json.loads, out.getvalue().splitlines())
    assert said["time"] == "2026-01-31T12:00:05Z"
    assert said["message"].startswith('it says "[bold]no[/bold]" word')
    assert caught_up["message"].startswith("orders: catching-up, 50 events at offsets 100 to 149 of 900")
    del caught_up["message"], caught_up["time"]
    assert caught_up == {"stream_name": "orders", "state": "catching-up", "next_offset": 150, "end_offset": 900}
