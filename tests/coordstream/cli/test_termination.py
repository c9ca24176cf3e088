"""A command that is terminated leaves no query running in the database."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, NoReturn

import psycopg
import pytest

from coordstream.cli import app
from coordstream.cli.failure import FAILED
from coordstream.cli.termination import interrupted_by_signals
from coordstream.errors import CoordstreamError
from tests.coordstream.command_line import MASK_KEY, CommandLine, without_settings
from tests.fixtures.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.slow

WAITING = "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"


@contextmanager
def held_up_query(cli: CommandLine) -> Iterator[tuple["subprocess.Popen[str]", Callable[[], bool]]]:
    """A command whose query waits for a lock that is never granted, and a function that says whether it waits."""
    environment = {**without_settings(), "COORDSTREAM_DATABASE_URL": cli.database_url, "COORDSTREAM_MASK_KEY": MASK_KEY}
    command = [sys.executable, "-m", "coordstream.cli", "status"]
    with cli.connection() as blocker, psycopg.connect(cli.database_url, autocommit=True) as watcher:
        blocker.execute("lock table eventlog.event in access exclusive mode")
        with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as child:
            try:
                wait_until(lambda: watcher.execute(WAITING).fetchall(), what="the query to wait")
                yield child, lambda: bool(watcher.execute(WAITING).fetchall())
            finally:
                child.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_cancels_the_query_under_way(cli: CommandLine, number: signal.Signals) -> None:
    with held_up_query(cli) as (child, is_waiting):
        child.send_signal(number)
        _, printed = child.communicate(timeout=PATIENCE)
        wait_until(lambda: not is_waiting(), what="the server to end the query")
    assert child.returncode == 128 + number
    assert printed == "Interrupted. The current transaction was rolled back; earlier work is kept.\n"


LOST: Final = """
import os, signal, sys, time
from coordstream.cli.termination import interrupted_by_signals

class Dropped:
    def __del__(self):
        os.kill(os.getpid(), {number})
        time.sleep(0.01)

try:
    with interrupted_by_signals():
        Dropped()
        print("continued", flush=True)
        time.sleep(60)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_during_a_destructor_is_not_lost(number: signal.Signals) -> None:
    program = [sys.executable, "-c", LOST.format(number=int(number))]
    ended = subprocess.run(program, capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert (ended.stdout, ended.stderr) == ("continued\ninterrupted\n", "")


def test_ctrl_c_before_the_command_runs_is_one_message(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(_: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(app, "build_app", interrupt)
    assert app.main(["status"]) == app.INTERRUPTED
    assert capsys.readouterr().err.startswith("Interrupted.")


def interrupted_in_set_name() -> None:
    class Named:
        def __set_name__(self, owner: type, name: str) -> None:
            raise KeyboardInterrupt

    type("Owner", (), {"attribute": Named()})


def interrupted_before_a_release() -> None:
    lock = threading.RLock()
    try:
        raise KeyboardInterrupt
    finally:
        lock.release()


def interrupted_before_a_message() -> None:
    try:
        interrupted_before_a_release()
    except RuntimeError as error:
        raise CoordstreamError("the disk is full") from error


@pytest.mark.parametrize(
    ("interrupted", "code", "message"),
    [
        (interrupted_in_set_name, app.INTERRUPTED, "Interrupted."),
        (interrupted_before_a_release, app.INTERRUPTED, "Interrupted."),
        (interrupted_before_a_message, FAILED, "the disk is full"),
    ],
)
def test_an_error_that_follows_an_interrupt(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    interrupted: Callable[[], None],
    code: int,
    message: str,
) -> None:
    monkeypatch.setattr(app, "build_app", lambda _: interrupted())
    assert app.main(["status"]) == code
    assert capsys.readouterr().err.startswith(message)


def test_ctrl_c_while_an_error_is_reported(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(*_: object, **__: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(app, "report_usage", interrupt)
    assert app.main(["unknown"]) == app.INTERRUPTED
    assert capsys.readouterr().err.startswith("Interrupted.")


def test_the_server_notices_that_a_command_was_killed(cli: CommandLine) -> None:
    with held_up_query(cli) as (child, is_waiting):
        child.kill()
        child.wait()
        wait_until(lambda: not is_waiting(), what="the server to end the query")


def test_a_signal_that_is_ignored_or_handled_is_left_alone() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interrupted_by_signals() as received:
            os.kill(os.getpid(), signal.SIGHUP)
        assert received == []
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
