"""Differences between archive and topic, apart from events that compaction and retention may have removed."""

from datetime import UTC, datetime, timedelta
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from eventlog.events import CREATE_TIME, RecordedEvent
from eventlog.source import StreamFacts
from eventlog.timestamps import ms_of
from eventlog.topic_comparison import EXAMPLES, TopicComparison, pair_events
from tests.fixtures.compaction import latest_per_key

AT: Final = datetime(2026, 3, 4, tzinfo=UTC)
DAY: Final = timedelta(days=1)
TOPIC: Final = StreamFacts("orders", None, 0, 100, delete_retention_ms=DAY // timedelta(milliseconds=1))


@st.composite
def logs(draw: st.DrawFn) -> list[RecordedEvent]:
    keys, values = st.sampled_from([b"a", b"b", b"c", None]), st.sampled_from([b"1", b"2", None])
    offset, events = 0, []
    for key, value, step in draw(st.lists(st.tuples(keys, values, st.integers(1, 3)), max_size=30)):
        offset += step
        events.append(RecordedEvent(offset, 0, CREATE_TIME, key, value))
    return events


def event(offset: int, key: bytes | None = b"k", value: bytes | None = b"v") -> RecordedEvent:
    return RecordedEvent(offset, ms_of(AT), 0, key, value)


def compare(
    archived: list[RecordedEvent],
    current: list[RecordedEvent],
    *,
    later: list[RecordedEvent] | None = None,
    facts: StreamFacts = TOPIC,
    now: datetime = AT,
) -> TopicComparison:
    comparison = TopicComparison(facts, now)
    for pair in pair_events(((each, AT) for each in archived), current):
        comparison.add(pair)
    for each in later or ():
        comparison.add_later(each)
    return comparison


def counts(comparison: TopicComparison) -> tuple[int, list[int], int]:
    return comparison.missing, comparison.lost, comparison.different


@given(logs(), st.integers(0, 60), st.booleans())
def test_compaction_is_not_a_difference(events: list[RecordedEvent], upto: int, keep_tombstones: bool) -> None:
    kept = latest_per_key(events, upto=upto, keep_tombstones=keep_tombstones)
    assert counts(compare(events, kept, now=AT + DAY)) == (0, [], 0)


@given(logs(), st.data())
def test_whatever_else_is_gone_is_a_difference(events: list[RecordedEvent], data: st.DataObject) -> None:
    kept = [each for each in latest_per_key(events) if each.value is not None]
    gone = data.draw(st.sets(st.sampled_from(kept)) if kept else st.just(set()))
    found = compare(events, [each for each in events if each not in gone])
    assert found.lost == sorted(each.offset for each in gone)
    assert counts(compare([each for each in events if each not in gone], events)) == (len(gone), [], 0)


def test_a_later_event_of_the_key_explains_a_hole() -> None:
    assert compare([event(0), event(1)], [event(1)]).lost == []
    assert compare([event(0), event(1)], [event(0)]).lost == [1]
    assert compare([event(0)], [event(1)]).lost == []
    assert compare([event(0)], [], later=[event(1)]).lost == []
    assert compare([event(0)], [], later=[event(1, b"other")]).lost == [0]


def test_a_tombstone_may_go_after_its_retention() -> None:
    tombstone = [event(0, value=None)]
    assert compare(tombstone, [], now=AT + DAY / 2).lost == [0]
    assert compare(tombstone, [], now=AT + DAY).lost == []
    assert compare(tombstone, [], facts=TOPIC._replace(delete_retention_ms=None)).lost == []


def test_a_tombstone_is_as_old_as_its_record_or_its_archiving() -> None:
    late = [event(0, value=None)._replace(timestamp=ms_of(AT + DAY))]
    assert compare(late, [], now=AT + DAY).lost == []
    early = [event(0, value=None)._replace(timestamp=ms_of(AT - DAY))]
    assert compare(early, [], now=AT).lost == []


def test_retention_explains_what_is_below_the_start() -> None:
    events = [event(0, b"a"), event(1, b"b")]
    starts_later = TOPIC._replace(start_offset=1)
    assert compare(events, [], facts=starts_later._replace(deletes_old=True)).lost == [1]
    assert compare(events, [], facts=starts_later).lost == [0, 1]


def test_every_field_but_the_leader_epoch_is_compared() -> None:
    one = event(0)
    others = [
        one._replace(key=b"x"),
        one._replace(value=None),
        one._replace(timestamp=1),
        one._replace(timestamp_type=1),
        one._replace(headers=(("name", None),)),
    ]
    assert [counts(compare([one], [other])) for other in others] == [(0, [], 1)] * len(others)
    assert counts(compare([one], [one._replace(leader_epoch=7)])) == (0, [], 0)


def test_the_first_of_each_kind_are_named() -> None:
    events = [event(offset, b"%d" % offset) for offset in range(3 * EXAMPLES)]
    found = compare([], events)
    assert (found.missing, found.missing_events) == (3 * EXAMPLES, events[:EXAMPLES])
    changed = [each._replace(value=b"changed") for each in events]
    found = compare(events, changed)
    assert found.different == 3 * EXAMPLES
    assert [pair[:2] for pair in found.different_events] == list(zip(events, changed, strict=True))[:EXAMPLES]


def test_a_missing_event_was_archived_before_the_next_one() -> None:
    events = [event(0), event(1), event(2)]
    pairs = pair_events([(events[1], AT)], events)
    assert [pair.archived_at for pair in pairs] == [AT, AT, None]
