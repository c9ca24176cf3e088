"""Checkpoints and their ids."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventlog.checkpoint import CheckpointId, CheckpointV1, CheckpointV2
from eventlog.errors import WireError
from eventlog.partition import SystemStreamPartition

A = SystemStreamPartition("k", "a", 0)
B = SystemStreamPartition("k", "b", 0)
ID = CheckpointId(1614147487244, 33577)
NOTHING: Any = None


@pytest.mark.scenario("CKS-14")
@given(st.integers(0, 2**63 - 1), st.integers(0, 999_999))
def test_an_id_comes_back_from_its_text(millis: int, nanos: int) -> None:
    assert CheckpointId.parse(str(CheckpointId(millis, nanos))) == CheckpointId(millis, nanos)


@pytest.mark.scenario("CKS-14")
def test_an_id_has_the_low_digits_of_the_nano_clock_and_no_padding() -> None:
    assert str(CheckpointId.create(1700000000000, 5_000_017)) == "1700000000000-17"


@pytest.mark.scenario("CKS-14")
def test_an_id_is_that_of_this_moment_by_default() -> None:
    before = time.time_ns() // 1_000_000
    created = CheckpointId.create()
    assert before <= created.millis <= time.time_ns() // 1_000_000
    assert created.nano_id == created.nanos
    assert CheckpointId.parse(str(created)) == created
    assert 0 <= created.nano_id < 1_000_000
    assert CheckpointId.create(now_ms=0).millis == 0


@pytest.mark.scenario("CKS-15")
def test_an_id_of_samza_gives_its_own_text() -> None:
    read = CheckpointId.parse("1614147487244-33577")
    assert (read.millis, read.nanos, str(read)) == (1614147487244, 33577, "1614147487244-33577")


def test_ids_are_ordered_by_both_numbers() -> None:
    assert sorted([CheckpointId(2, 0), CheckpointId(1, 10), CheckpointId(1, 9)]) == [
        CheckpointId(1, 9),
        CheckpointId(1, 10),
        CheckpointId(2, 0),
    ]


@pytest.mark.parametrize("text", ["", "-", "1", "1-x", "9223372036854775808-1"])
def test_other_text_is_not_an_id(text: str) -> None:
    with pytest.raises(WireError) as caught:
        CheckpointId.parse(text)
    assert caught.value.reason == "bad_checkpoint_id"


@pytest.mark.scenario("CKS-19")
def test_versions_are_never_equal_and_the_order_of_entries_does_not_count() -> None:
    v1 = CheckpointV1({A: "1", B: None})
    assert v1 == CheckpointV1({B: None, A: "1"})
    assert hash(v1) == hash(CheckpointV1({B: None, A: "1"}))
    assert v1 != CheckpointV2(None, {A: "1", B: None}, {})


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
