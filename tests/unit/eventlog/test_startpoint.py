"""Kinds of startpoints, their expiry, and visitors."""

import pytest

from eventlog.startpoint import (
    Startpoint,
    StartpointNotSupported,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
    StartpointUpcoming,
    StartpointVisitor,
)
from eventlog.timestamps import current_ms

Seen = tuple[str, str, object]
KINDS = [
    (StartpointSpecific("123"), "specific"),
    (StartpointTimestamp(2_222_222), "timestamp"),
    (StartpointOldest(), "oldest"),
    (StartpointUpcoming(), "upcoming"),
]


class Noting(StartpointVisitor[str, Seen]):
    """Returns which of its methods was called, and its arguments."""

    def visit_specific(self, given: str, startpoint: StartpointSpecific) -> Seen:
        return "specific", given, startpoint

    def visit_timestamp(self, given: str, startpoint: StartpointTimestamp) -> Seen:
        return "timestamp", given, startpoint

    def visit_oldest(self, given: str, startpoint: StartpointOldest) -> Seen:
        return "oldest", given, startpoint

    def visit_upcoming(self, given: str, startpoint: StartpointUpcoming) -> Seen:
        return "upcoming", given, startpoint


class OnlySpecific(StartpointVisitor[str, str | None]):
    """Supports one kind."""

    def visit_specific(self, given: str, startpoint: StartpointSpecific) -> str | None:
        return startpoint.specific_offset and f"{given} at {startpoint.specific_offset}"


@pytest.mark.parametrize(("startpoint", "kind"), KINDS)
@pytest.mark.scenario("SPM-01")
def test_each_kind_calls_its_own_method_and_gives_its_result(startpoint: Startpoint, kind: str) -> None:
    assert startpoint.apply("input", Noting()) == (kind, "input", startpoint)
    assert 0 <= current_ms() - startpoint.creation_timestamp < 3_600_000


@pytest.mark.parametrize(("startpoint", "kind"), KINDS[1:])
@pytest.mark.scenario("SPM-02")
def test_an_unsupported_kind_is_refused_by_name(startpoint: Startpoint, kind: str) -> None:
    name = f"Startpoint{kind.capitalize()}"
    with pytest.raises(NotImplementedError, match=f"{name} is not supported by OnlySpecific for input") as refused:
        startpoint.apply("input", OnlySpecific())
    assert isinstance(refused.value, StartpointNotSupported)
    assert (refused.value.kind, refused.value.visitor) == (name, "OnlySpecific")
    assert StartpointSpecific("1", 1).apply("input", OnlySpecific()) == "input at 1"
