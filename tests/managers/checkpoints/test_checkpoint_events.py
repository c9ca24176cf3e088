"""Decoding and encoding of checkpoints on both streams."""

import pytest

from eventlog.events import CREATE_TIME, NewEvent, RecordedEvent
from eventlog.wire.checkpoint_topic import DEFAULT_GROUPER_FACTORY
from managers.checkpoints.abstract_checkpoint_manager import Entry
from managers.checkpoints.checkpoint_errors import CheckpointUnreadable
from managers.checkpoints.checkpoint_events import CoordinatorReader, TopicReader
from tests.builders import checkpoint_v1, checkpoint_v2, config_set, raw, set_checkpoint, tombstone

READER = TopicReader("topic", (1, 2), DEFAULT_GROUPER_FACTORY, is_validating=True)


def event(new: NewEvent) -> RecordedEvent:
    return RecordedEvent(7, 1, CREATE_TIME, new.key, new.value)


@pytest.mark.scenario("CKS-03", "CKS-11")
def test_a_tombstone_deletes_a_checkpoint() -> None:
    assert READER(event(tombstone(checkpoint_v1()))) == Entry("Partition 0", 1, None)
    assert READER(event(tombstone(checkpoint_v2()))) == Entry("Partition 0", 2, None)
    assert CoordinatorReader("stream")(event(tombstone(set_checkpoint()))) == Entry("Partition 0", 0, None)


@pytest.mark.scenario("CKS-11")
def test_a_corrupt_value_is_not_an_empty_checkpoint() -> None:
    with pytest.raises(CheckpointUnreadable, match="offset 7 of topic") as error:
        READER(event(raw(checkpoint_v2().key, b"{bad hunter2")))
    assert "hunter2" not in str(error.value)  # a record may hold a secret


def test_values_of_other_versions_are_not_decoded() -> None:
    reader = TopicReader("topic", (1,), DEFAULT_GROUPER_FACTORY, is_validating=True)
    assert reader(event(raw(checkpoint_v2().key, b"{bad"))) == Entry("Partition 0", 2, None, is_ignored=True)


def test_messages_of_other_types_are_ignored() -> None:
    assert CoordinatorReader("stream")(event(config_set())) is None
    assert READER(event(raw(b'{"type":"checkpoint-v9"}', b"{bad"))) is None
