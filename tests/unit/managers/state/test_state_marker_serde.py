"""Markers with the name of the class that reads them."""

import pytest

from eventlog.state_markers import KafkaStateCheckpointMarker
from managers.state.state_errors import InvalidMarker
from managers.state.state_markers import StateCheckpointMarkerSerde


class TextSerde:
    """A payload that is its own text."""

    def serialise(self, payload: str) -> str:
        return payload

    def parse(self, text: str) -> str:
        return text


@pytest.mark.scenario("SCM-01")
@pytest.mark.parametrize("payload", ["p1", "", "s3://bucket/a:b"])
def test_a_marker_is_version_class_and_payload(payload: str) -> None:
    serde = StateCheckpointMarkerSerde({"com.example.Serde": TextSerde()})
    text = serde.serialise("com.example.Serde", payload)
    assert text == f"1:com.example.Serde:{payload}"
    assert serde.deserialise(text, task_name="Partition 0", store_name="counts") == payload


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "not written as version:factory:payload"),
        ("1:f", "not written as version:factory:payload"),
        ("x:f:p", "version is not an integer"),
        ("2:com.example.Serde:p", "another version than 1"),
        ("1:com.example.Other:p", "class 'com.example.Other' has no serde. Did you mean \""),
        ("1:com.example.Kafka:p", "not written as version;system;stream;partition;offset"),
    ],
)
def test_an_invalid_marker_names_task_and_store(text: str, problem: str) -> None:
    serde = StateCheckpointMarkerSerde(
        {"com.example.Serde": TextSerde(), "com.example.Kafka": KafkaStateCheckpointMarker}
    )
    with pytest.raises(InvalidMarker) as caught:
        serde.deserialise(text, task_name="Partition 0", store_name="counts")
    assert problem in str(caught.value)
    assert (caught.value.task_name, caught.value.store_name) == ("Partition 0", "counts")
