"""Commands that run for long: their lines on standard error, and what stops them."""

import json
import logging
import os
import signal
from contextlib import redirect_stderr, suppress
from datetime import datetime, timedelta, timezone

import pytest

from coordstream.cli.long_running import LINE_SECONDS, LogFormat, LogLines, progress_line, stop_on_signal_or_timeout
from projections.follow.heartbeat import State
from projections.follow.tail import Progress
from tests.fixtures.waiting import wait_until

JANUARY_MS = 1_767_225_600_000
NOON = datetime(2026, 1, 31, 13, 0, 5, 999_000, timezone(timedelta(hours=1)))


def batch(state: State = "catching-up", *, timestamp: int | None = JANUARY_MS) -> Progress:
    return Progress("orders", state, 50, 100, 150, 900, timestamp)


class Clock:
    """A clock that a test advances."""

    now = 1_000.0

    def __call__(self) -> float:
        return self.now


def lines(clock: Clock, log_format: LogFormat = "text") -> LogLines:
    return LogLines(log_format, clock, lambda: NOON)


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


def test_progress_is_printed_after_a_second_and_every_ten_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    printed = lines(clock)
    for _ in range(5):
        clock.now += LINE_SECONDS / 2
        printed.batch(batch())
    rates = [line.rpartition("; ")[2] for line in capsys.readouterr().err.splitlines()]
    assert rates == ["10 events/s"] * 3


def test_lines_may_be_json(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    printed = lines(clock, "json")
    printed.message('it says "[bold]no[/bold]"')
    clock.now += LINE_SECONDS
    printed.batch(batch())
    said, caught_up = map(json.loads, capsys.readouterr().err.splitlines())
    expected = {"level": "info", "code": "message", "stream_name": None, "message": 'it says "[bold]no[/bold]"'}
    assert said == {"time": "2026-01-31T12:00:05Z", **expected}
    assert caught_up["message"].startswith("orders: catching-up, 50 events")
    del caught_up["message"], caught_up["time"]
    place = {"stream_name": "orders", "state": "catching-up", "next_offset": 150, "end_offset": 900}
    assert caught_up == {"level": "info", "code": "progress", **place}


def test_lines_that_cannot_be_written_are_lost() -> None:
    goes_on = False
    with suppress(OSError), open("/dev/full", "w") as full, redirect_stderr(full):  # noqa: PTH123
        lines(Clock()).message("lost")
        goes_on = True
    assert goes_on


def test_a_second_signal_has_its_usual_effect() -> None:
    stops: list[str] = []
    before = signal.getsignal(signal.SIGTERM)
    with stop_on_signal_or_timeout(None) as stop:
        stop.stop_with(lambda: stops.append("stop"))
        assert signal.getsignal(signal.SIGTERM) is not before
        os.kill(os.getpid(), signal.SIGTERM)
        wait_until(lambda: stops, what="the handler")
        assert signal.getsignal(signal.SIGTERM) is before
    assert (stops, stop.signals) == (["stop"], [signal.SIGTERM])
    assert signal.getsignal(signal.SIGTERM) is before


def test_what_psycopg_warns_of_is_a_line_in_the_same_format(capsys: pytest.CaptureFixture[str]) -> None:
    with lines(Clock(), "json").of_psycopg():
        logging.getLogger("psycopg").warning("error ignored in rollback on %s", "<Connection>")
    printed = json.loads(capsys.readouterr().err)
    assert printed["message"] == "error ignored in rollback on <Connection>"
