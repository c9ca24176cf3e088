"""Startpoint requests and fan-outs in a store: their keys, what keys can mean, and Samza's own bytes."""

from typing import Any

import pytest

from eventlog.partition import StartpointKey, SystemStreamPartition, TaskName
from eventlog.wire.coordinator import encode_key
from managers.startpoints.startpoint_records import (
    fan_out_key,
    fan_out_value,
    key_meanings,
    read_fan_out,
    read_request,
    request_key,
    request_value,
    without_key_bucket,
)
from tests.vectors.building import partition_of, startpoint_of, startpoint_of_kind
from tests.vectors.catalogue import decoded, vectors

Vector = dict[str, Any]


@pytest.mark.parametrize("vector", vectors("startpoint"), ids=lambda vector: vector["id"])
@pytest.mark.scenario("SPM-03", "SPM-19")
def test_a_request_has_samzas_bytes(vector: Vector) -> None:
    given = vector["input"]
    startpoint = startpoint_of_kind(given["kind"], given["creationTimestamp"], given["argument"])
    name = request_key(partition_of(given["ssp"]), given["task"])
    assert encode_key(*name) == decoded(vector["key_b64"])
    assert request_value(startpoint) == decoded(vector["value_b64"])
    assert read_request(name, request_value(startpoint)) == startpoint


@pytest.mark.parametrize("vector", vectors("startpoint_fan_out"), ids=lambda vector: vector["id"])
@pytest.mark.scenario("SPM-19")
def test_a_fan_out_is_read_as_intended_even_if_samza_cannot_read_it(vector: Vector) -> None:
    given = vector["input"]
    expected = {partition_of(each["ssp"]): startpoint_of(each["startpoint"]) for each in given["fan_outs"]}
    name = fan_out_key(given["task"])
    assert encode_key(*name) == decoded(vector["key_b64"])
    value = decoded(vector["value_b64"])
    assert value is not None
    read = read_fan_out(name, value)
    assert (read.timestamp, read.fan_outs) == (given["timestamp"], expected)
    again = fan_out_value(read.timestamp, read.fan_outs)
    assert again is not None
    assert read_fan_out(name, again) == read
    assert len(again) == len(value)


def test_what_a_key_means_depends_on_the_tasks() -> None:
    dotted, plain = SystemStreamPartition("k", "s.1", 2), SystemStreamPartition("k", "s", 1, 3)
    found = key_meanings({"t": [dotted], "2": [plain]})
    assert found["k.s.1.2"] == {StartpointKey(dotted), StartpointKey(without_key_bucket(plain), TaskName("2"))}
    assert found["k.s.1"] == {StartpointKey(without_key_bucket(plain))}
    assert set(found) == {"k.s.1.2", "k.s.1.2.t", "k.s.1"}
