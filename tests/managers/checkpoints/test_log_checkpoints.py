"""The live checkpoints of a log."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventlog.events import NewEvent, RecordedEvent
from eventlog.log import MemoryEventLog
from eventlog.source import OffsetLost
from eventlog.streams import identify
from eventlog.wire.checkpoint_topic import DEFAULT_GROUPER_FACTORY
from managers.checkpoints.abstract_checkpoint_manager import LiveCheckpoints
from managers.checkpoints.checkpoint_events import TopicReader
from tests.builders import checkpoint_v1, checkpoint_v2, raw, recorded, tombstone
from tests.fixtures.compaction import latest_per_key
from tests.managers.watched_log import WatchedLog

TASKS = ("T0", "T1")
STREAM = identify("__samza_checkpoint_ver_1_for_orders_1")


def respelled(event: NewEvent) -> NewEvent:
    """The event with another spelling of its key."""
    return event._replace(key=(event.key or b"").replace(b":", b": "))


COMMITS = st.builds(
    lambda make, task, offset: make(task, {"kafka.in.0": offset}),
    st.sampled_from([checkpoint_v1, checkpoint_v2]),
    st.sampled_from(TASKS),
    st.sampled_from(["1", "2", "3"]),
)
EVENTS = st.lists(COMMITS | COMMITS.map(tombstone) | COMMITS.map(respelled), max_size=12)


def living() -> LiveCheckpoints:
    return LiveCheckpoints(TopicReader(STREAM.stream_name, (1, 2), DEFAULT_GROUPER_FACTORY, is_validating=True))


class LogOf(WatchedLog):
    """A log with exactly these events, including gaps."""

    def __init__(self, events: Sequence[RecordedEvent], end: int) -> None:
        super().__init__(MemoryEventLog(STREAM))
        self._events, self._end = events, end

    def read(self, first: int = 0, until: int | None = None):  # type: ignore[no-untyped-def]
        last = self._end if until is None else until
        return iter([event for event in self._events if first <= event.offset < last])

    def end_offset(self) -> int:
        return self._end


@given(EVENTS, st.integers(0, 12), st.booleans())
def test_compaction_does_not_change_the_checkpoints(events: list[NewEvent], upto: int, keep_tombstones: bool) -> None:
    log = recorded(events)
    kept = latest_per_key(log, keep_tombstones=keep_tombstones, upto=upto)
    whole, compacted, in_turns = living(), living(), living()
    assert whole.catch_up(LogOf(log, len(log))) == len(log)
    compacted.catch_up(LogOf(kept, len(log)))
    for end in range(len(log) + 1):
        in_turns.catch_up(LogOf(log, end))
    for task in TASKS:
        said = sorted(whole.of_task(task), key=lambda one: one.log_offset)
        assert sorted(compacted.of_task(task), key=lambda one: one.log_offset) == said
        assert sorted(in_turns.of_task(task), key=lambda one: one.log_offset) == said
    assert whole.task_names() == compacted.task_names() == in_turns.task_names()
    assert (whole.position, compacted.position) == (len(log), len(log))


def test_the_position_never_decreases() -> None:
    state = living()
    state.catch_up(LogOf([], 5))
    with pytest.raises(OffsetLost):
        state.catch_up(LogOf(recorded([raw(b"{}", None)]), 3))
    assert state.position == 5
