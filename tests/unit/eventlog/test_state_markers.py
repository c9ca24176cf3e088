"""Marks of state in checkpoints."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventlog.checkpoint import CheckpointId
from eventlog.errors import WireError
from eventlog.partition import SystemStreamPartition
from eventlog.state_markers import (
    KAFKA_STATE_BACKEND_FACTORY,
    KafkaChangelogOffset,
    KafkaStateCheckpointMarker,
    is_changelog_offset,
    scms_to_ssp_offset_map,
)


@pytest.mark.scenario("SCM-04")
@pytest.mark.parametrize(("offset", "text"), [("offset", "offset"), (None, "null")])
def test_the_form_of_seed_002_comes_back(offset: str | None, text: str) -> None:
    marker = KafkaStateCheckpointMarker(SystemStreamPartition("system", "stream", 1), offset)
    assert marker.serialise_fields() == f"1;system;stream;1;{text}"
    assert KafkaStateCheckpointMarker.parse(marker.serialise_fields()) == marker


@pytest.mark.parametrize(
    "changelog", [SystemStreamPartition("system", "a;b", 1), SystemStreamPartition("system", "stream", 1, 0)]
)
def test_some_changelogs_have_no_form_of_seed_002(changelog: SystemStreamPartition) -> None:
    with pytest.raises(WireError, match="cannot be written as version;system;stream"):
        KafkaStateCheckpointMarker(changelog, "5").serialise_fields()


@pytest.mark.scenario("SCM-07")
def test_offsets_of_changelogs_are_found_in_the_markers_of_a_commit() -> None:
    one, two = SystemStreamPartition("system1", "stream1", 1), SystemStreamPartition("system2", "stream2", 2)
    kafka = {
        "store1": KafkaStateCheckpointMarker(one, "offset1").serialise(),
        "store2": KafkaStateCheckpointMarker(two, None).serialise_fields(),
    }
    markers = {KAFKA_STATE_BACKEND_FACTORY: kafka, "factory2": {"store1": "blob"}}
    assert scms_to_ssp_offset_map(markers) == {one: "offset1", two: None}
    assert scms_to_ssp_offset_map({"factory2": {"store1": "blob"}}) == {}


def test_an_unreadable_marker_names_its_store() -> None:
    with pytest.raises(WireError, match="the marker of store 'counts' cannot be read: a state marker is not"):
        scms_to_ssp_offset_map({KAFKA_STATE_BACKEND_FACTORY: {"counts": "1;kafka"}})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "missing_field"),
        ("1;kafka;s;4", "missing_field"),
        ("1;kafka;s;4;", "missing_field"),  # of 1;kafka;s;4;17, cut off
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
    with pytest.raises(WireError, match=f"^{reason}: "):
        KafkaStateCheckpointMarker.parse(text)


@given(st.integers(0, 2**63 - 1), st.integers(0, 999_999), st.none() | st.integers(0, 2**63 - 1).map(str))
def test_a_changelog_offset_comes_back(millis: int, nanos: int, offset: str | None) -> None:
    written = str(KafkaChangelogOffset(CheckpointId(millis, nanos), offset))
    assert KafkaChangelogOffset.parse(written) == KafkaChangelogOffset(CheckpointId(millis, nanos), offset)
    assert is_changelog_offset(written)
