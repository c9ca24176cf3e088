"""What a log cleaner leaves."""

from hypothesis import given
from hypothesis import strategies as st

from eventlog.events import CREATE_TIME, RecordedEvent
from tests.fixtures.compaction import latest_per_key

KEYS = st.sampled_from([b"a", b"b", b"c", None])
VALUES = st.sampled_from([b"1", b"2", None])


@st.composite
def logs(draw: st.DrawFn) -> list[RecordedEvent]:
    records = draw(st.lists(st.tuples(KEYS, VALUES, st.integers(1, 3)), max_size=30))
    offset, events = 0, []
    for key, value, step in records:
        offset += step
        events.append(RecordedEvent(offset, 0, CREATE_TIME, key, value))
    return events


def table(events: list[RecordedEvent]) -> dict[bytes | None, bytes | None]:
    return {event.key: event.value for event in events if event.key is not None}


@given(logs())
def test_the_last_event_of_each_key_stays_in_its_place(events: list[RecordedEvent]) -> None:
    kept = latest_per_key(events)
    assert table(kept) == table(events)
    assert len({event.key for event in kept}) == len(kept)
    assert kept == [event for event in events if event in kept]


@given(logs())
def test_without_tombstones_the_live_keys_are_the_same(events: list[RecordedEvent]) -> None:
    kept = latest_per_key(events, keep_tombstones=False)
    assert table(kept) == {key: value for key, value in table(events).items() if value is not None}


@given(logs(), st.integers(0, 60))
def test_only_the_head_is_cleaned(events: list[RecordedEvent], upto: int) -> None:
    kept = latest_per_key(events, upto=upto)
    head, tail = [[one for one in events if (one.offset < upto) is below] for below in (True, False)]
    assert kept == latest_per_key(head) + tail
