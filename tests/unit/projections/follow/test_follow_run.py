"""A run's plan, when the run is over, and its stop flag."""

import os
import signal
import threading
import time

import psycopg
import pytest

from eventlog.backoff import StopFlag
from eventlog.source import CredentialsRefused, SourceUnavailable
from projections.follow.follow_run import FollowedStream, FollowPlan, FollowRun
from tests.fixtures.waiting import PATIENCE, wait_until

ALL = FollowPlan(follows_all=True)
ALL_ONCE = FollowPlan(follows_all=True, once=True)
NAMED = FollowPlan(("a", "b"))


def run_of(plan: FollowPlan, *over: bool, is_listed: bool = False) -> FollowRun:
    streams = {str(number): FollowedStream(str(number), is_over=is_over) for number, is_over in enumerate(over)}
    return FollowRun(plan, streams, lambda _: None, lambda _: None, is_listed=is_listed)


AWAY = SourceUnavailable("Kafka is away.")
REFUSES = [
    CredentialsRefused("Kafka refused access"),
    psycopg.OperationalError('connection failed: FATAL:  password authentication failed for user "u"'),
]


def test_an_outage_ends_a_run_with_an_end_after_a_timeout() -> None:
    state = run_of(ALL_ONCE, False)
    state.outage_timeout = 60.0
    for now, is_over in ((0.0, False), (59.9, False), (60.0, True)):
        state.begin_outage(AWAY, now)
        assert state.is_over() is is_over
    assert (state.outage, state.refusal, state.is_complete()) == ("Kafka is away", "", False)


def test_each_reason_of_an_outage_is_said_once() -> None:
    messages: list[str] = []
    state = FollowRun(ALL, {}, messages.append, lambda _: None)
    for reason in ("Session 1 ended", "A standby", "Session 2 ended", "A standby"):
        state.begin_outage(SourceUnavailable(reason), 0.0)
    assert messages == ["Session 1 ended; retrying", "A standby; retrying"]
    assert (state.outage, state.outage_since) == ("A standby", 0.0)
    state.end_outage()
    state.begin_outage(AWAY, 1.0)
    assert messages[2:] == ["Connections are restored: following continues.", "Kafka is away; retrying"]


@pytest.mark.parametrize(("plan", "outage_timeout"), [(NAMED, 60.0), (ALL, 60.0), (ALL_ONCE, None)])
def test_an_outage_does_not_end_a_run_without_an_end_or_timeout(plan: FollowPlan, outage_timeout: float | None) -> None:
    state = run_of(plan, False)
    state.outage_timeout = outage_timeout
    for now in (0.0, 1e9):
        state.begin_outage(AWAY, now)
    assert not state.is_over()


@pytest.mark.parametrize("error", REFUSES)
def test_a_refused_login_ends_a_run_only_if_it_has_an_end(error: Exception) -> None:
    endless, once = run_of(ALL, False), run_of(ALL_ONCE, False)
    endless.begin_outage(error, 0.0)
    once.begin_outage(error, 0.0)
    assert (endless.is_over(), endless.refusal) == (False, "")
    assert once.is_over()
    assert once.refusal


def test_a_signal_handler_can_end_the_wait_of_its_own_thread() -> None:
    flag, began = StopFlag(), time.monotonic()
    before = signal.signal(signal.SIGUSR1, lambda *_: flag.set())
    try:
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        flag.wait(PATIENCE)
        wait_until(lambda: flag.is_set, what="the handler")
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert time.monotonic() - began < PATIENCE / 2


def test_a_streams_message_is_not_repeated() -> None:
    messages: list[str] = []
    run = FollowRun(NAMED, {}, messages.append, lambda _: None)
    for name, message in zip("aaabaa", ("waits", "waits", "", "waits", "continues", "waits"), strict=True):
        run.say_of(name, "held", message)
    assert messages == ["waits", "waits", "continues", "waits"]
