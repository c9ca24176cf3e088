"""When a follower has nothing more to do."""

import pytest

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
