"""What a fan-out and a removal write."""

import pytest

from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import StartpointOldest, StartpointSpecific
from managers.startpoints.startpoint_errors import StartpointUnreadable
from managers.startpoints.startpoint_hand_out import hand_out, without
from managers.startpoints.startpoint_records import fan_out_key, fan_out_value, request_key, request_value
from managers.stores.namespaced_key import NamespacedKey

A, B = SystemStreamPartition("k", "s", 0), SystemStreamPartition("k", "s", 1)
ORDER = StartpointSpecific("1", 1_000)
OTHER = StartpointOldest(1_001)


def test_fan_outs_come_before_the_ends_of_requests() -> None:
    stored = {
        request_key(A, None): request_value(ORDER),
        NamespacedKey("set-config", "k.s.0"): b"not looked at",
        fan_out_key("t0"): fan_out_value(1, {B: OTHER}) or b"",
    }
    handed, changes = hand_out(stored, {"t0": [A], "t1": [A]}, 5)
    assert handed == {"t0": {A: ORDER}, "t1": {A: ORDER}}
    assert list(changes.items()) == [
        (fan_out_key("t0"), fan_out_value(5, {A: ORDER, B: OTHER})),
        (fan_out_key("t1"), fan_out_value(5, {A: ORDER})),
        (request_key(A, None), None),
    ]


def test_what_a_task_holds_already_is_not_written_again() -> None:
    stored = {request_key(A, None): request_value(ORDER), fan_out_key("t0"): fan_out_value(1, {A: ORDER}) or b""}
    handed, changes = hand_out(stored, {"t0": [A]}, 5)
    assert (handed, changes) == ({"t0": {A: ORDER}}, {request_key(A, None): None})


def test_without_requests_nothing_is_written() -> None:
    assert hand_out({fan_out_key("t0"): b"unreadable"}, {"t0": [A]}, 5) == ({}, {})


def test_a_removal_keeps_the_time_and_ends_the_record_with_its_last_partition() -> None:
    stored = {fan_out_key("t"): fan_out_value(7, {A: ORDER, B: OTHER}) or b""}
    assert without(stored, "t", {A}) == {fan_out_key("t"): fan_out_value(7, {B: OTHER})}
    assert without(stored, "t", {A, B}) == {fan_out_key("t"): None}
    assert without(stored, "t", set()) == without(stored, "other", {A}) == {}


def test_what_a_task_holds_must_be_read_before_it_is_written_over() -> None:
    stored = {request_key(A, None): request_value(ORDER), fan_out_key("t"): b"{"}
    with pytest.raises(StartpointUnreadable, match="'t' of samza-startpoint-v1-fan-out"):
        hand_out(stored, {"t": [A]}, 5)
    with pytest.raises(StartpointUnreadable):
        without(stored, "t", {A})
