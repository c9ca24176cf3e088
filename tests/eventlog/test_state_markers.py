"""Marks of state in checkpoints."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventlog.checkpoint import CheckpointId
from eventlog.errors import WireError
from eventlog.partition import SystemStreamPartition
from eventlog.state_markers import (
    KafkaChangelogOffset,
    KafkaStateCheckpointMarker,
    StateMarkerLine,
    is_changelog_offset,
)

TEXT = st.text(max_size=12)
PARTITION = st.builds(SystemStreamPartition, TEXT, TEXT, st.integers(0, 2**31 - 1), st.integers(-1, 5))
CHANGELOG = SystemStreamPartition("kafka", "store-changelog", 4)


@given(st.builds(KafkaStateCheckpointMarker, PARTITION, st.none() | TEXT))
def test_a_marker_comes_back(marker: KafkaStateCheckpointMarker) -> None:
    assert KafkaStateCheckpointMarker.parse(marker.serialise()) == marker


def test_the_form_of_seed_002_is_read() -> None:
    assert KafkaStateCheckpointMarker.parse("1;kafka;store-changelog;4;17") == KafkaStateCheckpointMarker(
        CHANGELOG, "17"
    )
    assert KafkaStateCheckpointMarker.parse("1;kafka;store-changelog;4;null").offset is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "missing_field"),
        ("1;kafka;s;4", "missing_field"),
        ("2;kafka;s;4;1", "bad_number"),
        ("x;kafka;s;4;1", "bad_number"),
        ("1;kafka;s;x;1", "bad_partition"),
        ("{", "not_json"),
        ("{}", "missing_field"),
        ('{"changelog-ssp":{},"changelog-offset":null}', "missing_field"),
        ('{"changelog-ssp":[],"changelog-offset":null}', "wrong_type"),
        ('{"changelog-ssp":{"system":"k","stream":"s","partition":0},"changelog-offset":5}', "wrong_type"),
    ],
)
def test_other_text_is_not_a_marker(text: str, reason: str) -> None:
    with pytest.raises(WireError) as caught:
        KafkaStateCheckpointMarker.parse(text)
    assert caught.value.reason == reason


def test_a_marker_line_is_split_in_exactly_three() -> None:
    line = StateMarkerLine.parse("1:com.example.Factory:a:b")
    assert line == ("com.example.Factory", "a:b")
    assert str(line) == "1:com.example.Factory:a:b"


@pytest.mark.parametrize("text", ["", "1:f", "2:f:p", "x:f:p"])
def test_other_text_is_not_a_marker_line(text: str) -> None:
    with pytest.raises(WireError):
        StateMarkerLine.parse(text)


@given(st.integers(0, 2**63 - 1), st.integers(0, 999_999), st.none() | st.integers(0, 2**63 - 1).map(str))
def test_a_changelog_offset_comes_back(millis: int, nanos: int, offset: str | None) -> None:
    written = str(KafkaChangelogOffset(CheckpointId(millis, nanos), offset))
    assert KafkaChangelogOffset.parse(written) == KafkaChangelogOffset(CheckpointId(millis, nanos), offset)
    assert is_changelog_offset(written)


@pytest.mark.parametrize("text", ["", "42", "1-2", "1-2:", "-1-2:3", "a-1:2", "1-2:3:4", f"{'9' * 30}-1:2"])
def test_other_offsets_are_not_changelog_offsets(text: str) -> None:
    assert not is_changelog_offset(text)
