"""Kinds of startpoints, and when a request is too old."""

import pytest

from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import (
    EXPIRY_MS,
    Startpoint,
    StartpointFanOut,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
    StartpointUpcoming,
    is_expired,
)


@pytest.mark.parametrize(
    ("startpoint", "kind", "value"),
    [
        (StartpointSpecific("42", 1), "specific", "42"),
        (StartpointSpecific(None, 1), "specific", None),
        (StartpointTimestamp(1700000000000, 1), "timestamp", "1700000000000"),
        (StartpointTimestamp(None, 1), "timestamp", None),
        (StartpointOldest(1), "oldest", None),
        (StartpointUpcoming(1), "upcoming", None),
    ],
)
def test_kind_and_value(startpoint: Startpoint, kind: str, value: str | None) -> None:
    assert (startpoint.kind, startpoint.value, startpoint.creation_timestamp) == (kind, value, 1)


def test_a_request_expires_when_it_is_more_than_twelve_hours_old() -> None:
    assert EXPIRY_MS == 43_200_000
    assert not is_expired(StartpointOldest(1_000), 1_000 + EXPIRY_MS)
    assert is_expired(StartpointOldest(1_000), 1_001 + EXPIRY_MS)
    assert not is_expired(StartpointOldest(2**70), 1_000)


def test_fan_outs_are_equal_whatever_their_order() -> None:
    a, b = SystemStreamPartition("k", "a", 0), SystemStreamPartition("k", "b", 0)
    one = StartpointFanOut(1, {a: StartpointOldest(1), b: StartpointUpcoming(1)})
    other = StartpointFanOut(1, {b: StartpointUpcoming(1), a: StartpointOldest(1)})
    assert (one, hash(one)) == (other, hash(other))
