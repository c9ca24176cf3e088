"""What is equal is written in equal bytes, and what is not in others: compaction knows a key by its bytes alone."""

import random

from hypothesis import given
from hypothesis import strategies as st

from eventlog.checkpoint import READ_VERSIONS, Checkpoint, CheckpointId, CheckpointV1, CheckpointV2
from eventlog.events import NewEvent
from eventlog.log import MemoryEventLog
from eventlog.messages import (
    Delete,
    Envelope,
    Message,
    SetCheckpoint,
    SetConfig,
    SetStartpoint,
    SetTaskPartitionMapping,
    UnknownMessage,
)
from eventlog.partition import SystemStreamPartition, TaskName
from eventlog.startpoint import StartpointOldest
from eventlog.streams import checkpoint_stream_name, coordinator_stream_name, identify
from eventlog.wire import checkpoint_topic, coordinator
from eventlog.wire.checkpoint_topic import KEY_TYPE_V1, KEY_TYPE_V2, CheckpointKey
from managers.checkpoints.checkpoint_manager import CheckpointManager, JobCheckpoints, KafkaCheckpointManager
from managers.stores.keyed_state import NamespacedKey, canonical, encode_name, read_name
from managers.streams.coordinator_streams import CoordinatorStreamMessage
from tests.contracts.event_log import clock
from tests.fixtures.properties.spelling import Spelling

TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
FEW = st.sampled_from(("a", "b.c", 'clé "✓"', "🚀"))
OFFSET = st.none() | TEXT
SYSTEM = st.sampled_from(("kafka", "hdfs"))
PARTITION = st.builds(SystemStreamPartition, SYSTEM, FEW, st.integers(0, 3), st.sampled_from((-1, -1, 2)))
WHOLE = st.builds(SystemStreamPartition, SYSTEM, FEW, st.integers(0, 3))
MARKERS = st.dictionaries(FEW, st.dictionaries(FEW, TEXT, max_size=3), max_size=3)
ID = st.none() | st.builds(CheckpointId, st.integers(0, 2**63 - 1), st.integers(0, 999_999))
V1 = st.builds(CheckpointV1, st.dictionaries(PARTITION, OFFSET, max_size=5))
V2 = st.builds(CheckpointV2, ID, st.dictionaries(WHOLE, TEXT, max_size=5), MARKERS)
V1_OF_WHOLE_PARTITIONS = st.builds(CheckpointV1, st.dictionaries(WHOLE, OFFSET, max_size=5))

ENVELOPED: st.SearchStrategy[Message] = st.one_of(
    st.builds(SetConfig, config_key=FEW, config_value=TEXT),
    st.builds(SetTaskPartitionMapping, partition=PARTITION, task_names=st.lists(TEXT, max_size=2).map(tuple)),
    st.builds(SetCheckpoint, task_name=FEW, offsets=st.dictionaries(WHOLE, OFFSET, max_size=2)),
)
MESSAGE: st.SearchStrategy[Message] = st.one_of(
    ENVELOPED,
    st.builds(SetStartpoint, key_text=FEW, startpoint=st.builds(StartpointOldest, st.integers(0, 9))),
    st.builds(UnknownMessage, message_type=FEW, key=FEW, value=TEXT),
    st.builds(Delete, message_type=st.just("set-config"), key=FEW),
)
NAME = st.builds(NamespacedKey, TEXT, TEXT)
CHECKPOINT_KEY = st.builds(
    CheckpointKey, st.sampled_from((KEY_TYPE_V1, KEY_TYPE_V2)), FEW.map(TaskName), st.sampled_from(("Grouper", "g.Ö"))
)
ENVELOPE = Envelope("source", "host", "user", 7)


def reordered(checkpoint: Checkpoint, rng: random.Random) -> Checkpoint:
    """An equal checkpoint, whose entries stand in another order."""
    entries = list(checkpoint.offsets.items())
    rng.shuffle(entries)
    if isinstance(checkpoint, CheckpointV1):
        return CheckpointV1(dict(entries))
    markers = {name: dict(list(of.items())[::-1]) for name, of in list(checkpoint.state_markers.items())[::-1]}
    return CheckpointV2(checkpoint.checkpoint_id, dict(entries), markers)


@given(MESSAGE, MESSAGE)
def test_keys_of_messages(one: Message, other: Message) -> None:
    is_equal = (one.message_type, one.key) == (other.message_type, other.key)
    written = [coordinator.encode_message(message)[0] for message in (one, other)]
    assert (written[0] == written[1]) is is_equal


@given(NAME, NAME)
def test_keys_of_the_store(one: NamespacedKey, other: NamespacedKey) -> None:
    assert (encode_name(one) == encode_name(other)) is (one == other)
    assert read_name(encode_name(one)) == canonical(one)
    assert NamespacedKey.parse(str(one)) == one


@given(MESSAGE, st.randoms(use_true_random=False))
def test_every_spelling_of_a_stream_s_key_leads_to_samzas(message: Message, rng: random.Random) -> None:
    written = coordinator.encode_message(message)[0]
    key = message.key
    if isinstance(message, SetTaskPartitionMapping):
        fields = {"system": message.partition.system, "stream": message.partition.stream}
        key = Spelling(rng, 1).write(fields | _numbers(message.partition)).decode()
    read = read_name(Spelling(rng, 1).write([1, message.message_type, key]))
    assert read is not None
    assert encode_name(read) == written


@given(ENVELOPED)
def test_a_message_as_samza_holds_it_is_written_as_it_was_read(message: Message) -> None:
    key, value = coordinator.encode_message(message.model_copy(update={"envelope": ENVELOPE}))
    held = CoordinatorStreamMessage.read(coordinator.decode_key(key), value)
    assert held.event() == NewEvent(key, value)


@given(CHECKPOINT_KEY, CHECKPOINT_KEY, st.randoms(use_true_random=False))
def test_keys_of_the_checkpoint_topic(one: CheckpointKey, other: CheckpointKey, rng: random.Random) -> None:
    written = checkpoint_topic.encode_key(one)
    assert (written == checkpoint_topic.encode_key(other)) is (one == other)
    fields = {
        "type": one.key_type,
        "taskName": one.task_name,
        "systemstreampartition-grouper-factory": one.grouper_factory,
    }
    assert checkpoint_topic.encode_key(checkpoint_topic.decode_key(Spelling(rng, 1).write(fields))) == written


@given(FEW, V1 | V2, st.randoms(use_true_random=False))
def test_checkpoints_on_their_topic(task_name: str, checkpoint: Checkpoint, rng: random.Random) -> None:
    versions = {READ_VERSIONS: str(1 if isinstance(checkpoint, CheckpointV1) else 2)}
    manager = KafkaCheckpointManager(MemoryEventLog(identify(checkpoint_stream_name("orders"))), config=versions)
    assert_written_in_order(manager, task_name, checkpoint, rng)


@given(FEW, V1_OF_WHOLE_PARTITIONS, st.randoms(use_true_random=False))
def test_checkpoints_on_the_coordinator_stream(task_name: str, checkpoint: CheckpointV1, rng: random.Random) -> None:
    manager = CheckpointManager(MemoryEventLog(identify(coordinator_stream_name("orders"))), clock=clock)
    assert_written_in_order(manager, task_name, checkpoint, rng)


def assert_written_in_order(
    manager: JobCheckpoints, task_name: str, checkpoint: Checkpoint, rng: random.Random
) -> None:
    manager.register(task_name)
    with manager:
        for each in (checkpoint, reordered(checkpoint, rng)):
            manager.write_checkpoint(task_name, each)
        one, other = manager.log.read()
        assert (one.key, one.value) == (other.key, other.value)
        assert manager.read_last_checkpoint(task_name) == checkpoint


def _numbers(partition: SystemStreamPartition) -> dict[str, object]:
    """The numbers of a partition's key; the bucket of a whole one is left out, as by older writers."""
    bucket = {} if partition.key_bucket == -1 else {"keyBucket": partition.key_bucket}
    return {"partition": partition.partition, **bucket}
