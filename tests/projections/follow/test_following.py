"""When a follower has nothing more to do."""

import psycopg
import pytest

from eventlog.source import CredentialsRefused, SourceUnavailable
from projections.follow.backoff import BackOff
from projections.follow.followed_stream import FollowedStream
from projections.follow.following import Following
from projections.follow.plan import FollowPlan
from projections.follow.reports import Reports
from projections.follow.stopping import Stopping

ALL = FollowPlan(follows_all=True)
ALL_ONCE = FollowPlan(follows_all=True, once=True)
NAMED = FollowPlan(("a", "b"))


def following(plan: FollowPlan, *over: bool, is_listed: bool = False) -> Following:
    streams = {str(number): FollowedStream(str(number), is_over=is_over) for number, is_over in enumerate(over)}
    reports = Reports(lambda _: None, lambda _: None)
    return Following(plan, streams, reports, BackOff(), Stopping(), is_listed)


@pytest.mark.parametrize(
    ("state", "is_over"),
    [
        (following(NAMED, True, False), False),
        (following(NAMED, True, True), True),
        (following(ALL, True, is_listed=True), False),
        (following(ALL_ONCE), False),
        (following(ALL_ONCE, is_listed=True), True),
        (following(ALL_ONCE, True, False, is_listed=True), False),
        (following(ALL_ONCE, True, True, is_listed=True), True),
    ],
)
def test_it_is_over_when_all_streams_are_and_no_other_can_come(state: Following, *, is_over: bool) -> None:
    assert state.is_over() == is_over


def test_it_is_over_when_somebody_wishes_so() -> None:
    state = following(ALL, False)
    state.stopping.set()
    assert state.is_over()


AWAY = SourceUnavailable("Kafka is away.")
REFUSES = [
    CredentialsRefused("Kafka refuses us"),
    psycopg.OperationalError('connection failed: FATAL:  password authentication failed for user "u"'),
]


@pytest.mark.parametrize("plan", [ALL_ONCE, FollowPlan(("a",), until=3)])
def test_with_an_end_an_outage_has_its_time(plan: FollowPlan) -> None:
    state = following(plan, False)
    state.patience = 60.0
    for now, is_over in ((0.0, False), (59.9, False), (60.0, True)):
        state.suffer(AWAY, now)
        assert state.is_over() is is_over
    assert (state.outage, state.refusal, state.is_done()) == ("Kafka is away", "", False)


@pytest.mark.parametrize(("plan", "patience"), [(NAMED, 60.0), (ALL, 60.0), (ALL_ONCE, None)])
def test_an_outage_is_waited_out_for_ever_where_nothing_else_was_asked(
    plan: FollowPlan, patience: float | None
) -> None:
    state = following(plan, False)
    state.patience = patience
    for now in (0.0, 1e9):
        state.suffer(AWAY, now)
    assert not state.is_over()


def test_each_outage_has_its_own_time() -> None:
    state = following(ALL_ONCE, False)
    state.patience = 60.0
    state.suffer(AWAY, 0.0)
    state.recover()
    assert state.outage == ""
    state.suffer(AWAY, 100.0)
    assert not state.is_over()


@pytest.mark.parametrize("error", REFUSES)
def test_refused_credentials_are_waited_for_without_an_end_only(error: Exception) -> None:
    endless, once = following(ALL, False), following(ALL_ONCE, False)
    endless.suffer(error, 0.0)
    once.suffer(error, 0.0)
    assert (endless.is_over(), endless.refusal) == (False, "")
    assert once.is_over()
    assert once.refusal
