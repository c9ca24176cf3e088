"""Checkpoints and their ids, and the settings of which versions count; the managers read the topics of the vectors."""

import time
from typing import Any

import pytest

from eventlog.checkpoint import (
    WRITE_VERSIONS,
    CheckpointId,
    CheckpointV1,
    CheckpointV2,
    parse_max_age,
    parse_read_versions,
    write_versions,
)
from eventlog.errors import ConfigError, WireError
from eventlog.partition import SystemStreamPartition

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
        with pytest.raises(ConfigError, match=rf"^task\.live\.checkpoint\.max\.age is '{text}'\. Expected an int"):
            parse_max_age(text)
