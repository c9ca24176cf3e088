"""Where tasks start: by the rules, and by what only the input systems can tell."""

from typing import Any

import pytest

from eventlog.partition import SystemStreamPartition
from eventlog.source import SourceUnavailable
from eventlog.startpoint import Startpoint, StartpointOldest, StartpointSpecific, StartpointTimestamp
from managers.offsets.offset_errors import NoMetadata, UnknownSystem
from managers.offsets.starting_places import Asked, Start, StartingPlaces
from tests.managers.stated_admin import StatedAdmin

K0, K1 = (SystemStreamPartition("k", "s", number) for number in range(2))
OTHER = SystemStreamPartition("k", "other", 0)
J0 = SystemStreamPartition("j", "s", 0)
OLDEST = {"systems.k.samza.offset.default": "oldest"}
ASKED = StartpointSpecific("23", 0)


def found(*asked: Asked, config: dict[str, str] | None = None, **admins: StatedAdmin) -> StartingPlaces:
    return StartingPlaces.find(config or {}, admins or {"k": StatedAdmin()}, asked)


def only(places: StartingPlaces) -> Start:
    (start,) = places.starts.values()
    return start


def test_each_rule_gives_its_offset() -> None:
    places = found(
        Asked("t", K0, "45"), Asked("t", K1, "45", ASKED), Asked("u", K0), Asked("u", K1, None, StartpointOldest(0))
    )
    offsets = {(task, partition.partition): start.offset for (task, partition), start in places.starts.items()}
    assert offsets == {("t", 0): "46", ("t", 1): "23", ("u", 0): "2", ("u", 1): "0"}
    decided = [places.starts[key].decision.decided_by for key in sorted(places.starts)]
    assert decided == ["checkpoint", "startpoint", "default", "startpoint"]
    assert places.refused == ()


def test_the_ends_of_streams_are_asked_for_once_and_only_where_they_matter() -> None:
    admin = StatedAdmin()
    found(Asked("t", K0), Asked("u", K1), Asked("t", OTHER), Asked("u", OTHER, "5"), k=admin)
    assert admin.streams_asked == [("other", "s")]
    quiet = StatedAdmin()
    found(Asked("t", K0, "45"), Asked("t", K1, "45", ASKED), k=quiet)
    assert (quiet.streams_asked, quiet.resolved) == ([], [(K1, ASKED)])


@pytest.mark.parametrize(("config", "offset"), [({}, "7"), (OLDEST, "7")])
def test_an_empty_partition_starts_with_what_comes(config: dict[str, str], offset: str) -> None:
    admin = StatedAdmin(oldest=None, newest=None, upcoming="7")
    assert only(found(Asked("t", K0), config=config, k=admin)).offset == offset


def test_a_broadcast_partition_starts_for_each_task_at_its_own_offset() -> None:
    places = found(Asked("t", K0, "45"), Asked("u", K0, "7"))
    assert [start.offset for start in places.starts.values()] == ["46", "8"]


def test_an_offset_that_the_system_can_not_count_on_from_is_unknown() -> None:
    assert only(found(Asked("t", K0, "of another kind"))).offset is None


def failing(_startpoint: Startpoint) -> str:
    raise SourceUnavailable


def failing_with_a_secret(_startpoint: Startpoint) -> str:
    raise RuntimeError("password=hunter2")


@pytest.mark.parametrize(
    ("resolve", "reason"),
    [
        (lambda _: None, "its system knows no such place"),
        (lambda _: "", "its system knows no such place"),
        (lambda _: " ", "its system knows no such place"),
        (failing, "its system failed ("),
        (failing_with_a_secret, "its system failed (RuntimeError)"),
    ],
)
def test_an_order_that_cannot_be_followed_is_left_aside_and_told(resolve: Any, reason: str) -> None:
    places = found(Asked("t", K0, "45", ASKED), k=StatedAdmin(resolve=resolve))
    start = only(places)
    assert (start.offset, start.decision.decided_by) == ("46", "checkpoint")
    assert start.decision.ignored_reason == "startpoint: it could not be resolved"
    (refused,) = places.refused
    assert refused[:3] == ("t", K0, ASKED)
    assert refused.reason.startswith(reason)


@pytest.mark.parametrize(
    "order", [StartpointSpecific(None, 0), StartpointSpecific("", 0), StartpointTimestamp(None, 0)]
)
def test_an_order_that_names_no_place_is_not_even_asked_about(order: Startpoint) -> None:
    admin = StatedAdmin()
    places = found(Asked("t", K0, None, order), k=admin)
    assert (only(places).offset, only(places).decision.decided_by) == ("2", "default")
    assert [refused.reason for refused in places.refused] == ["it names no place"]
    assert admin.resolved == []


def test_what_a_system_does_not_know_is_named() -> None:
    with pytest.raises(NoMetadata, match="system k knows no stream s, ") as no_stream:
        found(Asked("t", K0), k=StatedAdmin(lacks=frozenset({"s"})))
    assert (no_stream.value.stream, no_stream.value.partition) == ("s", None)
    with pytest.raises(NoMetadata, match="system k knows no partition 1 of stream s, ") as no_partition:
        found(Asked("t", K0), Asked("t", K1), k=StatedAdmin(partitions=1))
    assert no_partition.value.partition == 1
    with pytest.raises(UnknownSystem, match="system j"):
        found(Asked("t", J0, "45"))
