"""Checkpoints are read by Samza 1.8.0 itself, and the other way round, on a real broker."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from eventlog.checkpoint import LIVE_MAX_AGE, READ_VERSIONS, Checkpoint, CheckpointId, CheckpointV1, CheckpointV2
from eventlog.kafka.admin import KafkaAdmin
from eventlog.kafka.log import KafkaEventLog
from eventlog.kafka.options import KafkaOptions
from eventlog.partition import SystemStreamPartition
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY, KafkaStateCheckpointMarker
from eventlog.streams import checkpoint_stream_name, identify
from managers.checkpoints.checkpoint_manager import KafkaCheckpointManager
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.samza import Samza

pytestmark = [pytest.mark.kafka, pytest.mark.slow, pytest.mark.long]

IN_0: Final = SystemStreamPartition("kafka", "in", 0)
IN_1: Final = SystemStreamPartition("kafka", "in", 1)
DOTTED: Final = SystemStreamPartition("kafka", "in.2024.5", 3)
CHANGELOG: Final = SystemStreamPartition("kafka", "store-changelog", 0)
MARKERS: Final = {
    KAFKA_STATE_BACKEND_FACTORY: {
        "store": KafkaStateCheckpointMarker(CHANGELOG, "6").serialise(),
        "empty": KafkaStateCheckpointMarker(CHANGELOG, None).serialise(),
    },
    "com.example.\U0001f680Factory": {"blob": 'id "1"\\\n\u2713'},
    "com.example.Nothing": {},
}
V1: Final = {
    "Partition 0": CheckpointV1({IN_0: "29", IN_1: None, CHANGELOG: "1795251947372-753329:17"}),
    "Partition 1": CheckpointV1({}),
    'task "\u0436" \U0001f680': CheckpointV1({DOTTED: "a:\u2713 \U0001f680", IN_1: ""}),
}
V2: Final = {
    "Partition 0": CheckpointV2(CheckpointId(1795251947372, 753329), {IN_0: "30", IN_1: ""}, MARKERS),
    "Partition 1": CheckpointV2(CheckpointId(1, 0), {}, {}),
    'task "\u0436" \U0001f680': CheckpointV2(CheckpointId(2**62, 999_999), {IN_1: "\u2713 \U0001f680"}, {}),
}
WRITTEN: Final[list[tuple[str, Checkpoint]]] = [*V1.items(), *V2.items()]
TASKS: Final = [*V1, "never written"]
NOW: Final = datetime(2024, 11, 21, tzinfo=UTC)
EITHER: Final[Mapping[int, Checkpoint]] = {
    1: CheckpointV1({IN_0: "1"}),
    2: CheckpointV2(CheckpointId(1, 0), {IN_0: "2"}, {}),
}
SETTINGS: Final = (
    {READ_VERSIONS: "1,2"},
    {READ_VERSIONS: "2,1"},
    {READ_VERSIONS: "2,1", LIVE_MAX_AGE: "5"},
    {READ_VERSIONS: "1"},
)
#: The version written first, how much later the other came (ms), and which counts with each of the settings.
AGES: Final = {
    "V2, V1 at once": (2, 0, (1, 2, 2, 1)),
    "V2, V1 in time": (2, 5, (1, 2, 2, 1)),
    "V2, V1 just too late for 5 ms": (2, 6, (1, 2, 1, 1)),
    "V2, V1 after ten minutes": (2, 600_000, (1, 2, 1, 1)),
    "V2, V1 after more": (2, 600_001, (1, 1, 1, 1)),
    "V1, V2 after ten minutes": (1, 600_000, (1, 2, 2, 1)),
    "V1, V2 after more": (1, 600_001, (2, 2, 2, 1)),
}


@pytest.fixture
def config(samza: Samza, topics: Topics, job_name: str) -> dict[str, str]:
    """The config of the test's job, whose checkpoint topic is still to be made."""
    topics.will_be_made(checkpoint_stream_name(job_name))
    return samza.config(job_name)


@pytest.fixture
def topic(config: Mapping[str, str], kafka_options: KafkaOptions, job_name: str) -> Iterator[KafkaEventLog]:
    make_topic(config, kafka_options)
    with open_topic(kafka_options, job_name) as log:
        yield log


def make_topic(config: Mapping[str, str], options: KafkaOptions) -> None:
    def never() -> KafkaEventLog:
        raise AssertionError

    KafkaCheckpointManager(never, config=config, open_admin=lambda: KafkaAdmin(options)).create_resources()


def open_topic(options: KafkaOptions, job_name: str, now: datetime = NOW) -> KafkaEventLog:
    return KafkaEventLog(options, identify(checkpoint_stream_name(job_name)), clock=lambda: now)


def write(log: KafkaEventLog, config: Mapping[str, str], written: list[tuple[str, Checkpoint]]) -> None:
    manager = KafkaCheckpointManager(log, config=config)
    for task, _ in written:
        manager.register(task)
    with manager:
        for task, checkpoint in written:
            manager.write_checkpoint(task, checkpoint)


def read(log: KafkaEventLog, config: Mapping[str, str], tasks: list[str]) -> dict[str, Checkpoint | None]:
    manager = KafkaCheckpointManager(log, config=config)
    for task in tasks:
        manager.register(task)
    with manager:
        return {task: manager.read_last_checkpoint(task) for task in tasks}


@pytest.mark.parametrize(("versions", "expected"), [("1", V1), ("2,1", V2)])
def test_each_reads_what_the_other_writes_and_writes_the_same(
    samza: Samza,
    config: dict[str, str],
    topic: KafkaEventLog,
    topics: Topics,
    versions: str,
    expected: Mapping[str, Checkpoint],
) -> None:
    config[READ_VERSIONS] = versions
    written = [("Partition 0", V1["Partition 1"]), *WRITTEN]
    samza.write_checkpoints(config, written)
    theirs = {kept.key: unordered(kept.value) for kept in topics.kept(topic.stream_name)}
    end = topic.end_offset()
    assert read(topic, config, TASKS) == {**expected, "never written": None}
    write(topic, config, written)
    ours = {kept.key: unordered(kept.value) for kept in topics.kept(topic.stream_name) if kept.offset >= end}
    assert ours == theirs
    assert len(ours) == len(WRITTEN)
    assert samza.read_checkpoints(config, TASKS) == {**expected, "never written": None}


@pytest.mark.scenario("KCM-22", "KCM-23")
def test_both_make_the_same_topic(
    samza: Samza, config: dict[str, str], kafka_options: KafkaOptions, topics: Topics, job_name: str
) -> None:
    stream_name = checkpoint_stream_name(job_name)
    samza.write_checkpoints(config, WRITTEN[:1])
    theirs = topics.settings_of(stream_name)
    topics.delete(stream_name)
    make_topic(config, kafka_options)
    assert topics.settings_of(stream_name) == theirs


@pytest.mark.scenario("KCM-10", "HRD-25")
def test_both_choose_the_same_version(
    samza: Samza, config: dict[str, str], topic: KafkaEventLog, kafka_options: KafkaOptions, job_name: str
) -> None:
    write(topic, config, [(task, EITHER[first]) for task, (first, _, _) in AGES.items()])
    for task, (first, later_ms, _) in AGES.items():
        with open_topic(kafka_options, job_name, NOW + timedelta(milliseconds=later_ms)) as log:
            write(log, config, [(task, EITHER[3 - first])])
    for at, settings in enumerate(SETTINGS):
        expected = {task: EITHER[chosen[at]] for task, (_, _, chosen) in AGES.items()}
        found = samza.read_checkpoints({**config, **settings}, [*AGES])
        assert found == read(topic, {**config, **settings}, [*AGES]) == expected


def test_what_samza_itself_does_not_read_back_is_read_by_us(
    samza: Samza, config: dict[str, str], topic: KafkaEventLog
) -> None:
    bucket = SystemStreamPartition("kafka", "in", 0, 1)
    in_bucket, dotted = CheckpointV1({bucket: "1"}), CheckpointV2(CheckpointId(1, 2), {DOTTED: "1"}, {})
    samza.write_checkpoints(config, [("bucket", in_bucket), ("dotted", dotted)])
    both = {**config, READ_VERSIONS: "1,2"}
    assert read(topic, both, ["bucket", "dotted"]) == {"bucket": in_bucket, "dotted": dotted}
    assert samza.read_checkpoints(both, ["bucket", "dotted"]) == {
        "bucket": CheckpointV1({IN_0: "1"}),  # it reads the inner fields, which lack the bucket
        "dotted": replace(dotted, offsets={SystemStreamPartition("kafka", "in", 2024): "1"}),  # it splits at every dot
    }


def unordered(value: bytes | None) -> tuple[Any, int]:
    """What a value says in whatever order, and its length: Java's maps have no order to be equal to."""
    assert value is not None
    return json.loads(value), len(value)
