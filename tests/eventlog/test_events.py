"""Events in batches."""

from eventlog.events import NewEvent, RecordedEvent, batches


def test_batches_are_limited_in_number_and_in_bytes() -> None:
    events = [RecordedEvent(offset, 0, 0, b"k", b"v" * 9) for offset in range(5)]
    assert [event for batch in batches(events, 2, 1000) for event in batch] == events
    assert [len(batch) for batch in batches(events, 2, 1000)] == [2, 2, 1]
    assert [len(batch) for batch in batches(events, 100, 20)] == [2, 2, 1]
    assert [len(batch) for batch in batches(events, 100, 19)] == [1] * 5
    assert [len(batch) for batch in batches(iter(events), 100, 1)] == [1] * 5
    assert list(batches([NewEvent(None, None)], 2, 1)) == [[NewEvent(None, None)]]
    assert list(batches(events[:0], 2, 1000)) == []
