"""Every golden vector decodes to what it says and (encodings) encodes to the same bytes; none is left out."""

from collections.abc import Callable
from typing import Any

import pytest

from eventlog.checkpoint import CheckpointId, CheckpointV1, CheckpointV2
from eventlog.errors import WireError
from eventlog.partition import SystemStreamPartition, TaskName
from eventlog.state_markers import KafkaChangelogOffset, KafkaStateCheckpointMarker
from eventlog.streams import checkpoint_stream_name, coordinator_stream_name
from eventlog.wire import checkpoint_topic
from eventlog.wire.jackson import decode_partition_key, encode_partition_key
from tests.vectors.building import offsets_of, partition_of
from tests.vectors.catalogue import decoded, kinds, vectors

Vector = dict[str, Any]

NOT_AS_SAMZA = {
    # Samza splits at every dot: ours are read at the first and the last.
    "ssp_string-2": SystemStreamPartition("kafka", "a.b", 12),
    "ssp_string-7": SystemStreamPartition("kafka", "a.5", 3),
    "ssp_string-8": SystemStreamPartition("a", "b.c.d.e", 9),
}


def test_all_are_there() -> None:
    assert sum(len(vectors(kind)) for kind in kinds()) == 310


@pytest.mark.scenario("CKS-20")
@pytest.mark.parametrize("vector", vectors("checkpoint_log_key"), ids=lambda vector: vector["id"])
def test_checkpoint_log_key(vector: Vector) -> None:
    said = vector["input"]
    key = checkpoint_topic.CheckpointKey(said["type"], TaskName(said["task"]), said["grouper"])
    written = decoded(vector["key_b64"])
    assert checkpoint_topic.encode_key(key) == written
    assert checkpoint_topic.decode_key(written) == key


DECODED: dict[str, tuple[Callable[[str], object], Callable[[Any], object]]] = {
    "checkpoint_log_key_decode": (
        lambda text: checkpoint_topic.decode_key(text.encode()),
        lambda said: (said["type"], said["task"], said["grouper"]),
    ),
    "checkpoint_v1_decode": (
        lambda text: checkpoint_topic.decode_v1(text.encode()),
        lambda said: CheckpointV1(offsets_of(said)),
    ),
    "checkpoint_id": (CheckpointId.parse, lambda said: CheckpointId(said["millis"], said["nanos"])),
    "changelog_offset": (
        KafkaChangelogOffset.parse,
        lambda said: KafkaChangelogOffset(CheckpointId(said["millis"], said["nanos"]), said["offset"]),
    ),
    "ssp_json_decode": (decode_partition_key, partition_of),
}


@pytest.mark.scenario("CKS-14", "CKS-15", "SCM-09")
@pytest.mark.parametrize(
    "vector", [each for kind in DECODED for each in vectors(kind)], ids=lambda vector: vector["id"]
)
def test_text_is_decoded_or_refused_as_by_samza(vector: Vector) -> None:
    decode, expected = DECODED[vector["id"].rpartition("-")[0]]
    said = vector["result"]
    if said is None or "samza_error" in said:
        with pytest.raises(WireError):
            decode(vector["input"])
        return
    read = decode(vector["input"])
    assert read == expected(said)
    if written := said_as_text(said):
        assert str(read) == written


def said_as_text(said: Any) -> str | None:
    """How Samza writes it again."""
    return said.get("serialize", said.get("toString")) if isinstance(said, dict) else None


@pytest.mark.scenario("CKS-02")
@pytest.mark.parametrize("vector", vectors("checkpoint_v1"), ids=lambda vector: vector["id"])
def test_checkpoint_v1(vector: Vector) -> None:
    written = decoded(vector["value_b64"]) or b""
    read = checkpoint_topic.decode_v1(written)
    assert read == CheckpointV1(offsets_of(vector["input"]["offsets"]))
    assert checkpoint_topic.encode_v1(read) == written


@pytest.mark.scenario("CKS-07", "CKS-09")
@pytest.mark.parametrize("vector", vectors("checkpoint_v2"), ids=lambda vector: vector["id"])
def test_checkpoint_v2(vector: Vector) -> None:
    said = vector["input"]
    written = decoded(vector["value_b64"]) or b""
    read = checkpoint_topic.decode_v2(written)
    given = CheckpointV2(
        CheckpointId.parse(said["checkpoint_id"]), offsets_of(said["offsets"]), said["state_checkpoint_markers"]
    )
    if vector["id"] == "checkpoint_v2-13":  # key buckets are lost in V2: the last one stays, and the other is reported
        assert list(read.offsets.values()) == ["12001"]
        assert read.duplicates == ("kafka.bucketed.0",)
        assert checkpoint_topic.encode_v2(given) == written
    else:
        assert read == given
        assert checkpoint_topic.encode_v2(read) == written


@pytest.mark.parametrize("vector", vectors("checkpoint_v2_decode"), ids=lambda vector: vector["id"])
def test_checkpoint_v2_decode(vector: Vector) -> None:
    data = vector["input"].encode()
    said = vector["result"]
    if "samza_error" in said:
        with pytest.raises(WireError):
            checkpoint_topic.decode_v2(data)
        return
    read = checkpoint_topic.decode_v2(data)
    assert str(read.checkpoint_id) == said["checkpoint_id"].replace("null", "None")
    if vector["id"] == "checkpoint_v2_decode-4":
        assert read.offsets == {SystemStreamPartition("s", "a.5", 3): "4"}
    else:
        assert read.offsets == offsets_of(said["offsets"])
    assert read.state_markers == said["markers"]


@pytest.mark.scenario("SCM-06")
@pytest.mark.parametrize("vector", vectors("kafka_state_marker"), ids=lambda vector: vector["id"])
def test_kafka_state_marker(vector: Vector) -> None:
    said = vector["input"]
    marker = KafkaStateCheckpointMarker(partition_of(said["changelog_ssp"]), said["changelog_offset"])
    assert marker.serialise() == vector["text"]
    assert KafkaStateCheckpointMarker.parse(vector["text"]) == marker


@pytest.mark.parametrize("vector", vectors("ssp_json"), ids=lambda vector: vector["id"])
def test_ssp_json(vector: Vector) -> None:
    partition = partition_of(vector["input"])
    assert encode_partition_key(partition) == vector["text"]
    assert decode_partition_key(vector["text"]) == partition
    assert partition.label() == vector["toString"]


@pytest.mark.parametrize(
    "vector", vectors("ssp_string") + vectors("legacy_ssp_string"), ids=lambda vector: vector["id"]
)
def test_ssp_string(vector: Vector) -> None:
    said = vector.get("samza_key_deserializer", vector.get("Util.stringToSsp"))
    assert isinstance(said, dict)
    if vector["id"] in NOT_AS_SAMZA:
        assert SystemStreamPartition.parse(vector["input"]) == NOT_AS_SAMZA[vector["id"]]
    elif "samza_error" in said:
        with pytest.raises(WireError, match="bad_partition"):
            SystemStreamPartition.parse(vector["input"])
    else:
        assert SystemStreamPartition.parse(vector["input"]) == partition_of(said)


@pytest.mark.parametrize("vector", vectors("topic_name"), ids=lambda vector: vector["id"])
def test_topic_name(vector: Vector) -> None:
    job = vector["input"]
    assert coordinator_stream_name(job["job_name"], job["job_id"]) == vector["coordinator"]
    assert checkpoint_stream_name(job["job_name"], job["job_id"]) == vector["checkpoint"]
