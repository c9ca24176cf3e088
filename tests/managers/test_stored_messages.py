"""Messages of a store, read as a class and written with a writer's signature."""

import pytest

from eventlog.messages import Delete, Envelope, SetChangelogMapping, SetTaskModeMapping
from managers.stored_messages import StoredMessages, with_envelope
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.contracts.event_log import NOW_MS, clock
from tests.managers.recording_log import RecordingLog


@pytest.fixture
def log() -> RecordingLog:
    """A log that notes what is asked of it."""
    return RecordingLog()


def test_messages_are_written_at_once_with_an_envelope(log: RecordingLog) -> None:
    said = SetChangelogMapping(task_name="a", changelog_partition=1)
    told = Envelope("somebody", "h", "u", 7)
    with CoordinatorStreamStore(log) as store:
        messages = StoredMessages(store, "the-writer", clock)
        mode = SetTaskModeMapping(task_name="a", task_mode="Active")
        messages.write([said, with_envelope(mode, told), Delete(message_type="set-changelog", key="gone")])
        assert [call for call in log.calls if call.startswith("append")] == ["append 3"]
        (read,) = messages.read(SetChangelogMapping)
        (read_mode,) = messages.read(SetTaskModeMapping)
    assert (read, read_mode.envelope) == (said, told)
    assert read.envelope is not None
    assert (read.envelope.source, read.envelope.timestamp) == ("the-writer", NOW_MS)


def test_nothing_to_write_appends_nothing(log: RecordingLog) -> None:
    with CoordinatorStreamStore(log) as store:
        StoredMessages(store, "the-writer", clock).write([])
    assert log.end_offset() == 0


def test_it_says_what_it_is(log: RecordingLog) -> None:
    expected = "<StoredMessages by me of <CoordinatorStreamStore __samza_coordinator_orders_1 read to offset 0>>"
    assert repr(StoredMessages(CoordinatorStreamStore(log), "me", clock)) == expected
