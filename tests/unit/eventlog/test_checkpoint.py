"""Checkpoints and their ids.

Which checkpoint counts: Samza's rule, and the topics that were made to show it.
"""

import time
from typing import Any

import pytest

from eventlog.checkpoint import (
    WRITE_VERSIONS,
    Candidate,
    Checkpoint,
    CheckpointId,
    CheckpointV1,
    CheckpointV2,
    choose,
    parse_max_age,
    parse_read_versions,
    write_versions,
)
from eventlog.errors import ConfigError, WireError
from eventlog.partition import SystemStreamPartition
from eventlog.wire.checkpoint_topic import KEY_TYPE_V1, KEY_TYPE_V2, decode_key, decode_v1, decode_v2
from tests.vectors.building import offsets_of
from tests.vectors.catalogue import decoded, vectors

A = SystemStreamPartition("k", "a", 0)
B = SystemStreamPartition("k", "b", 0)
ID = CheckpointId(1614147487244, 33577)
NOTHING: Any = None


@pytest.mark.scenario("CKS-14")
def test_an_id_is_that_of_this_moment_by_default() -> None:
    before = time.time_ns() // 1_000_000
    created = CheckpointId.create()
    assert before <= created.millis <= time.time_ns() // 1_000_000
    assert CheckpointId.parse(str(created)) == created
    assert 0 <= created.nanos < 1_000_000
    assert str(CheckpointId.create(1700000000000, 5_000_017)) == "1700000000000-17"


@pytest.mark.parametrize("text", ["1-x", "9223372036854775808-1"])
def test_other_text_is_not_an_id(text: str) -> None:
    with pytest.raises(WireError, match="bad_checkpoint_id: "):
        CheckpointId.parse(text)


@pytest.mark.scenario("CKS-19")
def test_versions_are_never_equal_and_the_order_of_entries_does_not_count() -> None:
    v1 = CheckpointV1({A: "1", B: None})
    assert v1 == CheckpointV1({B: None, A: "1"})
    assert hash(v1) == hash(CheckpointV1({B: None, A: "1"}))
    v2: object = CheckpointV2(None, {A: "1", B: None}, {})
    assert v1 != v2


def test_duplicates_are_ignored_when_checkpoints_are_compared() -> None:
    seen_twice = CheckpointV2(ID, {A: "1"}, {"f": {"s": "m"}}, ("k.a.0",))
    assert seen_twice == CheckpointV2(ID, {A: "1"}, {"f": {"s": "m"}})
    assert hash(seen_twice) == hash(CheckpointV2(ID, {A: "1"}, {"f": {"s": "m"}}))
    assert seen_twice != CheckpointV2(ID, {A: "1"}, {"f": {"s": "other"}})


@pytest.mark.scenario("CKS-13")
def test_none_is_refused_where_a_mapping_is_needed() -> None:
    with pytest.raises(ValueError, match="offsets"):
        CheckpointV1(NOTHING)
    with pytest.raises(ValueError, match="offsets"):
        CheckpointV2(ID, NOTHING, {})
    with pytest.raises(ValueError, match="state_markers"):
        CheckpointV2(ID, {}, NOTHING)


Vector = dict[str, Any]

READ_VERSIONS = {"(default)": None, "1": "1", "2": "2", "1,2": "1,2", "2,1": "2,1"}
DOTTED = [{"system": "kafka", "stream": "a.b", "partition": 0, "offset": "4"}]


def one(offset: str) -> list[Vector]:
    return [{"system": "kafka", "stream": "in", "partition": 0, "offset": offset}]


# What SCENARIOS asks for where Samza raises: by vector, the offsets with V1 read and with V2 alone read.
OURS: dict[str, tuple[list[Vector] | None, list[Vector] | None]] = {
    "checkpoint_topic_case-13": (one("1"), None),
    "checkpoint_topic_case-14": (None, DOTTED),
    "checkpoint_topic_case-16": (one("1"), None),
    "checkpoint_topic_case-17": (one("2"), None),
    "checkpoint_topic_case-19": (one("1"), None),
}


@pytest.mark.parametrize("read_versions", READ_VERSIONS)
@pytest.mark.parametrize("vector", vectors("checkpoint_topic_case"), ids=lambda vector: vector["id"])
def test_topic_case(vector: Vector, read_versions: str) -> None:
    versions = parse_read_versions(READ_VERSIONS[read_versions])
    for task in vector["tasks"]:
        chosen = choose(_candidates(vector, task), versions)
        assert (None if chosen is None else chosen.payload.offsets) == _expected(vector, task, read_versions, versions)


def _expected(vector: Vector, task: str, read_versions: str, versions: tuple[int, ...]) -> object:
    if vector["id"] in OURS:
        with_v1, with_v2 = OURS[vector["id"]]
        said = (with_v1 if 1 in versions else None) or (with_v2 if 2 in versions else None)
    else:
        answer = vector["samza_readLastCheckpoint"][f"read.versions={read_versions} validation=true"][task]
        said = None if answer is None else answer["offsets"]
    return None if said is None else offsets_of(said)


def _candidates(vector: Vector, task: str) -> list[Candidate[Checkpoint]]:
    """The last readable checkpoint in each version; a tombstone ends what was before it."""
    last: dict[int, Candidate[Checkpoint]] = {}
    for record in vector["records"]:
        try:
            key = decode_key(decoded(record["key_b64"]))
            version = {KEY_TYPE_V1: 1, KEY_TYPE_V2: 2}.get(key.key_type)
            if version is None or key.task_name != task or key.grouper_factory != vector["grouper"]:
                continue
            value = decoded(record["value_b64"])
            if value is None:
                last.pop(version, None)
                continue
            checkpoint = decode_v1(value) if version == 1 else decode_v2(value)
        except WireError:
            continue
        last[version] = Candidate(version, record["offset"], record["timestamp"], checkpoint)
    return list(last.values())


@pytest.mark.parametrize(
    ("text", "versions"),
    [(None, None), (" ", None), ("1", (1,)), ("2", (2,)), ("2, 1", (2, 1)), ("1,1", (1,)), ("1 , ,", (1,))],
)
def test_the_versions_to_write_are_read_from_config(text: str | None, versions: tuple[int, ...] | None) -> None:
    assert write_versions({} if text is None else {WRITE_VERSIONS: text}) == versions


@pytest.mark.parametrize("text", ["3", "1,0", "one", "1_0", "-1", ",", ",1", "²"])
def test_other_versions_to_write_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=WRITE_VERSIONS):
        write_versions({WRITE_VERSIONS: text})


def test_a_value_that_is_not_a_number_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"task\.checkpoint\.read\.versions"):
        parse_read_versions("two")
    for text in ("10m", "1_0", " ", "5 "):
        with pytest.raises(ConfigError, match=rf"^task\.live\.checkpoint\.max\.age is '{text}', not an integer\.$"):
            parse_max_age(text)
