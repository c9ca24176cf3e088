"""The generated streams are what they say: seeded, of the right mix, and written as Samza writes."""

from collections import Counter

from benchmarks.generator import OLDEST_COORDINATOR, RELEASED_CHECKPOINTS, STREAM_NAMES, generate
from eventlog.messages import Delete, SetCheckpoint, UnknownMessage
from eventlog.streams import identify
from eventlog.wire import checkpoint_topic, coordinator

COUNT = 10_000
CHECKPOINT_TYPES = (SetCheckpoint.message_type, checkpoint_topic.KEY_TYPE_V1, checkpoint_topic.KEY_TYPE_V2)


def test_a_seed_gives_the_same_events_again_and_another_seed_others() -> None:
    assert list(generate(500, 7)) == list(generate(500, 7))
    assert list(generate(500, 7)) != list(generate(500, 8))


def test_the_count_is_kept_and_offsets_are_dense_in_each_stream() -> None:
    offsets: dict[str, list[int]] = {name: [] for name in STREAM_NAMES}
    for stream_name, event in generate(COUNT):
        offsets[stream_name].append(event.offset)
    assert sum(map(len, offsets.values())) == COUNT
    assert all(seen == list(range(len(seen))) for seen in offsets.values())


def test_the_mix_is_that_of_a_busy_job() -> None:
    shares = Counter(_kind(stream_name, event.key, event.value) for stream_name, event in generate(COUNT))
    assert 0.88 < sum(shares[kind] for kind in CHECKPOINT_TYPES) / COUNT < 0.92
    assert abs(shares["checkpoint"] - shares["checkpoint-v2"]) <= 1
    assert 0.27 < shares["set-checkpoint"] / COUNT < 0.33
    assert 0.07 < shares["set-config"] / COUNT < 0.09
    assert 0.005 < shares["tombstone"] / COUNT < 0.015
    assert shares["set-generated"] > 0


def test_checkpoints_of_the_topic_are_samzas_bytes() -> None:
    for stream_name, event in generate(COUNT):
        if stream_name == RELEASED_CHECKPOINTS and event.value is not None:
            key = checkpoint_topic.decode_key(event.key)
            assert checkpoint_topic.encode_key(key) == event.key
            if key.key_type == checkpoint_topic.KEY_TYPE_V1:
                assert checkpoint_topic.encode_v1(checkpoint_topic.decode_v1(event.value)) == event.value
            else:
                assert checkpoint_topic.encode_v2(checkpoint_topic.decode_v2(event.value)) == event.value


def test_messages_of_the_coordinator_streams_are_samzas_bytes() -> None:
    for stream_name, event in generate(COUNT):
        if identify(stream_name).stream_kind == "coordinator":
            key = coordinator.decode_key(event.key)
            message = coordinator.decode_message(key, event.value)
            assert isinstance(message, Delete) == (event.value is None)
            assert isinstance(message, UnknownMessage) == (key.message_type == "set-generated")
            assert coordinator.encode_message(message.model_copy(update={"origin": None})) == (event.key, event.value)


def test_a_tasks_partitions_change_now_and_then() -> None:
    checkpoints = (
        coordinator.decode_message(coordinator.decode_key(event.key), event.value)
        for stream_name, event in generate(COUNT, tasks=2)
        if stream_name == OLDEST_COORDINATOR and event.value is not None
    )
    assert {len(message.offsets) for message in checkpoints if isinstance(message, SetCheckpoint)} == {3, 4}


def _kind(stream_name: str, key: bytes | None, value: bytes | None) -> str:
    if value is None:
        return "tombstone"
    if identify(stream_name).stream_kind == "checkpoint":
        return checkpoint_topic.decode_key(key).key_type
    return coordinator.decode_key(key).message_type
