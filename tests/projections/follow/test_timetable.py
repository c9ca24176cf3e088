"""When recurring things are due."""

from projections.follow.timetable import Recurring


def test_it_is_due_at_once_and_then_after_each_time() -> None:
    beat = Recurring(5.0)
    assert [now for now in (0.0, 0.1, 4.9, 5.0, 9.9, 10.0) if beat.is_due(now)] == [0.0, 5.0, 10.0]


def test_a_late_one_is_not_made_up_for() -> None:
    beat = Recurring(5.0)
    assert [now for now in (0.0, 17.0, 18.0, 22.0) if beat.is_due(now)] == [0.0, 17.0, 22.0]


def test_it_can_be_hastened() -> None:
    beat = Recurring(5.0)
    assert beat.is_due(0.0)
    beat.hasten()
    assert [now for now in (1.0, 2.0, 6.0) if beat.is_due(now)] == [1.0, 6.0]
