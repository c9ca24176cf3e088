"""Startpoints and fan-outs as a store holds them, against Samza's own bytes."""

from typing import Any

import pytest

from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import Startpoint, StartpointOldest, StartpointUpcoming
from eventlog.wire.coordinator import encode_key
from managers.startpoints.startpoint_errors import StartpointUnreadable
from managers.startpoints.startpoint_records import (
    fan_out_key,
    fan_out_value,
    read_fan_out,
    read_request,
    request_key,
    request_value,
)
from tests.vectors.building import partition_of, startpoint_of, startpoint_of_kind
from tests.vectors.catalogue import decoded, vectors

Vector = dict[str, Any]


@pytest.mark.parametrize("vector", vectors("startpoint"), ids=lambda vector: vector["id"])
@pytest.mark.scenario("SPM-03", "SPM-19")
def test_a_request_has_samzas_bytes(vector: Vector) -> None:
    said = vector["input"]
    order = startpoint_of_kind(said["kind"], said["creationTimestamp"], said["argument"])
    name = request_key(partition_of(said["ssp"]), said["task"])
    assert encode_key(*name) == decoded(vector["key_b64"])
    assert request_value(order) == decoded(vector["value_b64"])
    assert read_request(name, request_value(order)) == order


@pytest.mark.parametrize("vector", vectors("startpoint_fan_out"), ids=lambda vector: vector["id"])
@pytest.mark.scenario("SPM-19")
def test_a_fan_out_is_read_as_it_was_meant_also_where_samza_could_not(vector: Vector) -> None:
    said = vector["input"]
    meant = {partition_of(each["ssp"]): startpoint_of(each["startpoint"]) for each in said["fan_outs"]}
    name = fan_out_key(said["task"])
    assert encode_key(*name) == decoded(vector["key_b64"])
    value = decoded(vector["value_b64"])
    assert value is not None
    read = read_fan_out(name, value)
    assert (read.timestamp, read.fan_outs) == (said["timestamp"], meant)
    again = fan_out_value(read.timestamp, read.fan_outs)
    assert again is not None
    assert read_fan_out(name, again) == read
    assert len(again) == len(value)


def test_a_fan_out_is_written_in_the_order_of_its_partitions() -> None:
    a, b = SystemStreamPartition("k", "a", 10), SystemStreamPartition("k", "a", 2)
    orders: dict[SystemStreamPartition, Startpoint] = {a: StartpointOldest(1), b: StartpointUpcoming(2)}
    assert fan_out_value(7, orders) == fan_out_value(7, dict(reversed(orders.items())))
    assert (fan_out_value(7, orders) or b"").index(b"k.a.2") < (fan_out_value(7, orders) or b"").index(b"k.a.10")
    assert fan_out_value(7, {}) is None


def test_an_error_names_the_type_if_it_is_but_a_word() -> None:
    name = request_key(SystemStreamPartition("k", "s", 0), None)
    for written, told in (("StartpointCustom", "StartpointCustom"), ("two words", None)):
        with pytest.raises(StartpointUnreadable) as unreadable:
            read_request(name, b'{"@type":"%s","creationTimestamp":1}' % written.encode())
        assert unreadable.value.startpoint_type == told
        assert (written in str(unreadable.value)) == (told is not None)
