"""From where a task starts."""

from typing import Any

import pytest

from eventlog.config import OffsetSettings
from eventlog.partition import SystemStreamPartition
from eventlog.starting_offset import StartingOffset, decide, effective_startpoint
from eventlog.startpoint import EXPIRY_MS, Startpoint, StartpointOldest, StartpointSpecific, StartpointTimestamp

KAFKA = {"systems.k.samza.factory": "org.apache.samza.system.kafka.KafkaSystemFactory"}
RESET = {**KAFKA, "systems.k.streams.s.samza.reset.offset": "true", "systems.k.samza.offset.default": "oldest"}
PARTITION = SystemStreamPartition("k", "s", 0)
NOW = 1_700_000_000_000
ASKED = StartpointSpecific("23", NOW)
OLD = StartpointSpecific("23", NOW - EXPIRY_MS - 1)


def decided(config: dict[str, str], **given: Any) -> StartingOffset:
    known: dict[str, Any] = {"requested": None, "fanned_out": None, "checkpoint_offset": None, **given}
    return decide(OffsetSettings(config), PARTITION, now_ms=NOW, **known)


@pytest.mark.parametrize(("wide", "task", "winner"), [(1, 2, "task"), (2, 1, "wide"), (1, 1, "task")])
def test_the_later_startpoint_counts_and_a_tie_goes_to_the_task(wide: int, task: int, winner: str) -> None:
    ssp_wide, with_task = StartpointSpecific("wide", wide), StartpointSpecific("task", task)
    assert effective_startpoint(ssp_wide, with_task) == {"wide": ssp_wide, "task": with_task}[winner]


def test_one_startpoint_alone_counts() -> None:
    assert effective_startpoint(ASKED, None) == effective_startpoint(None, ASKED) == ASKED
    assert effective_startpoint(None, None) is None


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, StartingOffset("default", "upcoming")),
        ({"checkpoint_offset": "45"}, StartingOffset("checkpoint", starting_offset="46")),
        ({"requested": ASKED}, StartingOffset("startpoint", "specific", "23", "23")),
        ({"fanned_out": OLD}, StartingOffset("startpoint", "specific", "23", "23")),
        ({"requested": OLD}, StartingOffset("default", "upcoming", ignored_reason="expired")),
        (
            {"requested": ASKED, "fanned_out": StartpointOldest(1), "checkpoint_offset": "45"},
            StartingOffset("startpoint", "specific", "23", "23", "startpoint"),
        ),
        ({"requested": StartpointTimestamp(7, NOW)}, StartingOffset("startpoint", "timestamp", "7")),
        (
            {"requested": OLD, "checkpoint_offset": "45"},
            StartingOffset("checkpoint", starting_offset="46", ignored_reason="expired"),
        ),
        (
            {"fanned_out": StartpointSpecific("", NOW), "checkpoint_offset": "45"},
            StartingOffset("checkpoint", starting_offset="46", ignored_reason="no place"),
        ),
    ],
)
def test_what_decides(given: dict[str, Startpoint | str], expected: StartingOffset) -> None:
    assert decided(KAFKA, **given) == expected


def test_a_reset_leaves_the_checkpoint_aside_but_not_a_startpoint() -> None:
    assert decided(RESET, checkpoint_offset="45") == StartingOffset("reset", "oldest", ignored_reason="reset")
    assert decided(RESET) == StartingOffset("reset", "oldest")
    assert decided(RESET, requested=ASKED).decided_by == "startpoint"
