"""When recurring actions are due."""

from projections.follow.recurring import Recurring


def test_an_action_is_due_at_once_and_then_at_its_interval() -> None:
    beat = Recurring(5.0)
    assert [now for now in (0.0, 0.1, 4.9, 5.0, 9.9, 10.0) if beat.is_due(now)] == [0.0, 5.0, 10.0]


def test_missed_times_are_skipped() -> None:
    beat = Recurring(5.0)
    assert [now for now in (0.0, 17.0, 18.0, 22.0) if beat.is_due(now)] == [0.0, 17.0, 22.0]


def test_a_triggered_action_is_due_at_once() -> None:
    beat = Recurring(5.0)
    assert beat.is_due(0.0)
    beat.trigger()
    assert [now for now in (1.0, 2.0, 6.0) if beat.is_due(now)] == [1.0, 6.0]
