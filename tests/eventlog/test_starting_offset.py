"""From where a task starts."""

from typing import Any

import pytest

from eventlog.errors import ConfigError
from eventlog.partition import SystemStreamPartition
from eventlog.starting_offset import (
    StartingOffset,
    decide,
    default_offset,
    effective_startpoint,
    is_reset,
    next_offset,
    refuse_unknown_defaults,
)
from eventlog.startpoint import EXPIRY_MS, Startpoint, StartpointOldest, StartpointSpecific, StartpointTimestamp

KAFKA = {"systems.k.samza.factory": "org.apache.samza.system.kafka.KafkaSystemFactory"}
RESET = {**KAFKA, "systems.k.streams.s.samza.reset.offset": "true", "systems.k.samza.offset.default": "oldest"}
PARTITION = SystemStreamPartition("k", "s", 0)
NOW = 1_700_000_000_000
ASKED = StartpointSpecific("23", NOW)
OLD = StartpointSpecific("23", NOW - EXPIRY_MS - 1)


def decided(config: dict[str, str], **given: Any) -> StartingOffset:
    known: dict[str, Any] = {"requested": None, "fanned_out": None, "checkpoint_offset": None, **given}
    return decide(config, PARTITION, now_ms=NOW, **known)


@pytest.mark.parametrize(("wide", "task", "winner"), [(1, 2, "task"), (2, 1, "wide"), (1, 1, "task")])
def test_the_later_startpoint_counts_and_a_tie_goes_to_the_task(wide: int, task: int, winner: str) -> None:
    ssp_wide, with_task = StartpointSpecific("wide", wide), StartpointSpecific("task", task)
    assert effective_startpoint(ssp_wide, with_task) == {"wide": ssp_wide, "task": with_task}[winner]


def test_one_startpoint_alone_counts() -> None:
    assert effective_startpoint(ASKED, None) == effective_startpoint(None, ASKED) == ASKED
    assert effective_startpoint(None, None) is None


def test_the_default_goes_from_the_stream_to_the_system() -> None:
    config = {
        "systems.k.streams.s.samza.offset.default": "upcoming",
        "systems.k.default.stream.samza.offset.default": "Oldest",
        "systems.j.samza.offset.default": " OLDEST ",
    }
    found = [default_offset(config, *one) for one in (("k", "s"), ("k", "t"), ("j", "s"), ("none", "s"))]
    assert found == ["upcoming", "oldest", "oldest", "upcoming"]
    with pytest.raises(ConfigError, match=r"systems\.k\.samza\.offset\.default"):
        default_offset({"systems.k.samza.offset.default": "fail"}, "k", "s")


@pytest.mark.parametrize(
    ("config", "named"),
    [
        ({"systems.k.samza.offset.default": "fail"}, True),
        ({"systems.k.samza.offset.default": "fail", "task.inputs": "k.s"}, True),
        ({"systems.k.samza.offset.default": "fail", "task.inputs": "j.s"}, False),
        ({"systems.k.streams.s.samza.offset.default": "newest", "task.broadcast.inputs": "k.s#0"}, True),
        ({"systems.k.streams.s.samza.offset.default": " Oldest "}, False),
        ({"samza.offset.default": "fail", "systems.k.samza.offset.defaults": "fail"}, False),
    ],
)
def test_a_default_of_an_input_must_be_known(config: dict[str, str], named: bool) -> None:
    if not named:
        refuse_unknown_defaults(config)
        return
    with pytest.raises(ConfigError, match=r"systems\.k\.") as refused:
        refuse_unknown_defaults(config)
    assert isinstance(refused.value, ValueError)


def test_reset_is_a_boolean_of_the_stream_or_of_the_system_s_streams() -> None:
    assert is_reset(RESET, "k", "s")
    assert not is_reset(RESET, "k", "t")
    assert not is_reset({**RESET, "systems.k.streams.s.samza.reset.offset": "yes"}, "k", "s")
    assert is_reset({"systems.k.default.stream.samza.reset.offset": "TRUE"}, "k", "s")


def test_only_kafka_s_next_offset_is_known() -> None:
    assert next_offset(KAFKA, "k", "45") == "46"
    assert next_offset(KAFKA, "k", "-1") == "0"
    assert next_offset(KAFKA, "k", str(2**63 - 2)) == str(2**63 - 1)
    assert next_offset(KAFKA, "k", str(2**63 - 1)) is None
    assert next_offset(KAFKA, "k", "4x") is None
    assert next_offset(KAFKA, "other", "45") is None
    assert next_offset(KAFKA, "k", "9" * 5000) is None


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
