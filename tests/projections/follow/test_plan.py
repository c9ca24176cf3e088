"""What a follower can be asked for."""

import pytest

from projections.follow.plan import FollowPlan


@pytest.mark.parametrize(
    ("plan", "has_end"),
    [
        (FollowPlan(("a", "b")), False),
        (FollowPlan(follows_all=True), False),
        (FollowPlan(("a",), once=True), True),
        (FollowPlan(("a",), until=0), True),
    ],
)
def test_which_plans_end_by_themselves(plan: FollowPlan, *, has_end: bool) -> None:
    assert plan.has_end == has_end


@pytest.mark.parametrize(("names", "follows_all"), [((), True), (("a", "b"), False), ((), False)])
def test_an_offset_to_stop_at_is_that_of_one_stream(names: tuple[str, ...], *, follows_all: bool) -> None:
    with pytest.raises(ValueError, match="name just this one"):
        FollowPlan(names, follows_all=follows_all, until=3)
