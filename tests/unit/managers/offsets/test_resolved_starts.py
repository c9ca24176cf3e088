"""Starting offsets: the rules, resolved by the input systems."""

from collections.abc import Sequence
from typing import Any

import pytest

from eventlog.partition import SystemStreamPartition
from eventlog.source import SourceUnavailable
from eventlog.startpoint import Startpoint, StartpointSpecific
from managers.offsets.resolved_starts import (
    AssignedPartition,
    RefusedStartpoint,
    Starts,
    find_starting_offsets,
)
from tests.fixtures.managers.stated_admin import StatedAdmin

K0, K1 = (SystemStreamPartition("k", "s", number) for number in range(2))
OTHER = SystemStreamPartition("k", "other", 0)
STARTPOINT = StartpointSpecific("23", 0)


def found(*assigned: AssignedPartition, admin: StatedAdmin) -> tuple[Starts, Sequence[RefusedStartpoint]]:
    return find_starting_offsets({}, {"k": admin}, assigned)


def test_the_metadata_of_a_stream_is_queried_once_and_only_if_needed() -> None:
    admin = StatedAdmin()
    found(
        AssignedPartition("t", K0),
        AssignedPartition("u", K1),
        AssignedPartition("t", OTHER),
        AssignedPartition("u", OTHER, "5"),
        admin=admin,
    )
    assert admin.streams_asked == [("other", "s")]
    quiet = StatedAdmin()
    found(AssignedPartition("t", K0, "45"), AssignedPartition("t", K1, "45", STARTPOINT), admin=quiet)
    assert (quiet.streams_asked, quiet.resolved) == ([], [(K1, STARTPOINT)])


def failing(_startpoint: Startpoint) -> str:
    raise SourceUnavailable


def failing_with_a_secret(_startpoint: Startpoint) -> str:
    raise RuntimeError("password=hunter2")


@pytest.mark.parametrize(
    ("resolve", "reason"),
    [
        (lambda _: None, "its system has no such position"),
        (lambda _: "", "its system has no such position"),
        (lambda _: " ", "its system has no such position"),
        (failing, "its system failed ("),
        (failing_with_a_secret, "its system failed (RuntimeError)"),
    ],
)
def test_a_startpoint_that_cannot_be_resolved_is_refused(resolve: Any, reason: str) -> None:
    starts, refusals = found(AssignedPartition("t", K0, "45", STARTPOINT), admin=StatedAdmin(resolve=resolve))
    assert [*starts.values()] == ["46"]
    (refused,) = refusals
    assert refused[:3] == ("t", K0, STARTPOINT)
    assert refused.reason.startswith(reason)
