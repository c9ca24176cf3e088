"""When recurring actions are due."""

from projections.follow.heartbeat import AT_ONCE, Recurring, RecurringTurns


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


def test_streams_have_their_turns_a_few_at_a_time() -> None:
    beat = RecurringTurns(5.0, 2)
    turns = [beat.next("abcde", now) for now in (0.0, 0.1, 0.2, 0.3, 4.9, 5.0)]
    assert turns == [["a", "b"], ["c", "d"], ["e"], [], [], ["a", "b"]]


def test_the_next_turn_is_due_at_once_until_all_streams_had_one() -> None:
    beat = RecurringTurns(5.0, 2)
    due = []
    for now in (1.0, 1.1):
        beat.next("abc", now)
        due.append(beat.due_at)
    assert due == [AT_ONCE, 6.0]


def test_when_triggered_again_the_streams_without_a_turn_come_first() -> None:
    beat = RecurringTurns(5.0, 2)
    beat.next("abcde", 0.0)
    beat.trigger()
    assert [beat.next("abcdef", 0.1) for _ in range(4)] == [["c", "d"], ["e", "a"], ["b", "f"], []]


def test_streams_that_have_waited_for_the_interval_have_a_turn_together() -> None:
    """A batch can take seconds, and thousands of streams have many turns."""
    beat = RecurringTurns(5.0, 2)
    assert [beat.next("abcdefg", now) for now in (0.0, 4.0, 8.0)] == [["a", "b"], ["c", "d"], ["e", "f", "g"]]
