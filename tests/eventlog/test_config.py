"""Booleans and integers in a job's config.

The streams a job reads.

The settings of a job's config about where its streams start.
"""

import pytest

from eventlog.config import (
    OffsetSettings,
    boolean,
    broadcast_partitions,
    inputs,
    integer,
    refuse_unknown_defaults,
    task_inputs,
)
from eventlog.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "expected"),
    [("true", True), ("TRUE", True), ("false", False), ("1", False), ("", False), ("true ", False)],
)
def test_only_true_in_any_case_is_true(text: str, expected: bool) -> None:
    assert boolean({"key": text}, "key", default=not expected) is expected


@pytest.mark.parametrize(("text", "expected"), [("7", 7), ("-1", -1), ("+2", 2), ("007", 7)])
def test_an_integer(text: str, expected: int) -> None:
    assert integer({"key": text}, "key", 1) == expected
    assert integer({"other": text}, "key", 1) == 1


@pytest.mark.parametrize("text", ["", " 7", "7 ", "7.0", "1_000", "٧", "many"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=rf"^key is {text!r}, not an integer\.$"):
        integer({"key": text}, "key", 1)


@pytest.mark.parametrize("text", ["-1", "-007", "few"])
def test_an_integer_may_have_a_minimum(text: str) -> None:
    assert integer({"key": "0"}, "key", 1, minimum=0) == 0
    with pytest.raises(ConfigError, match=rf"^key is '{text}', not an integer from 0\.$"):
        integer({"key": text}, "key", 1, minimum=0)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, None),
        ({"task.inputs": ""}, set()),
        ({"task.inputs": "kafka.page-views, kafka.a.b"}, {("kafka", "page-views"), ("kafka", "a.b")}),
        ({"task.broadcast.inputs": "kafka.rules#0,kafka.more#[0-3],kafka.c#"}, "broadcast"),
        ({"task.inputs": "pv"}, set()),
        ({"task.inputs": "pv", "job.default.system": "kafka"}, {("kafka", "pv")}),
        (
            {
                "task.inputs": "pv",
                "job.default.system": "kafka",
                "streams.pv.samza.system": "other",
                "streams.pv.samza.physical.name": "page.views",
            },
            {("other", "page.views")},
        ),
    ],
)
def test_inputs(config: dict[str, str], expected: object) -> None:
    broadcast = {("kafka", "rules"), ("kafka", "more"), ("kafka", "c#")}
    assert inputs(config) == (broadcast if expected == "broadcast" else expected)


def test_task_inputs_are_those_that_tasks_share_out() -> None:
    config = {"task.inputs": "kafka.page-views, pv", "task.broadcast.inputs": "kafka.rules#0"}
    known = {"streams.pv.samza.system": "other", "streams.pv.samza.physical.name": "page.views"}
    assert task_inputs(config | known) == {("kafka", "page-views"), ("other", "page.views")}
    assert task_inputs({}) == set()
    with pytest.raises(ConfigError, match=r"stream id 'pv' in task\.inputs has no system"):
        task_inputs(config)


def test_broadcast_partitions_are_named_one_by_one_or_as_a_range() -> None:
    config = {"task.broadcast.inputs": "kafka.rules#0, kafka.more#[2-4],kafka.none#[4-2]"}
    assert sorted(map(str, broadcast_partitions(config))) == [
        "kafka.more.2",
        "kafka.more.3",
        "kafka.more.4",
        "kafka.rules.0",
    ]
    assert broadcast_partitions({}) == frozenset()


@pytest.mark.parametrize("entry", ["kafka.rules", "kafka.rules#", "kafka.rules#a", "kafka.rules#[1]", "rules#0"])
def test_a_broadcast_input_names_its_partitions(entry: str) -> None:
    with pytest.raises(ConfigError, match=r"task\.broadcast\.inputs"):
        broadcast_partitions({"task.broadcast.inputs": entry})


KAFKA = {"systems.k.samza.factory": "org.apache.samza.system.kafka.KafkaSystemFactory"}
RESET = {**KAFKA, "systems.k.streams.s.samza.reset.offset": "true", "systems.k.samza.offset.default": "oldest"}
BY_ID = {
    "streams.views.samza.system": "k",
    "streams.views.samza.physical.name": "page-views",
    "streams.views.samza.offset.default": "oldest",
    "streams.views.samza.reset.offset": "true",
}


def test_the_default_goes_from_the_stream_to_the_system() -> None:
    config = {
        "systems.k.streams.s.samza.offset.default": "upcoming",
        "systems.k.default.stream.samza.offset.default": "Oldest",
        "systems.j.samza.offset.default": " OLDEST ",
    }
    settings = OffsetSettings(config)
    found = [settings.default_offset(*one) for one in (("k", "s"), ("k", "t"), ("j", "s"), ("none", "s"))]
    assert found == ["upcoming", "oldest", "oldest", "upcoming"]
    with pytest.raises(ConfigError, match=r"systems\.k\.samza\.offset\.default"):
        OffsetSettings({"systems.k.samza.offset.default": "fail"}).default_offset("k", "s")


@pytest.mark.parametrize(
    ("config", "named"),
    [
        ({"systems.k.samza.offset.default": "fail"}, True),
        ({"systems.k.samza.offset.default": "fail", "task.inputs": "k.s"}, True),
        ({"systems.k.samza.offset.default": "fail", "task.inputs": "j.s"}, False),
        ({"systems.k.streams.s.samza.offset.default": "newest", "task.broadcast.inputs": "k.s#0"}, True),
        ({"systems.k.streams.s.samza.offset.default": " Oldest "}, False),
        ({"streams.id.samza.offset.default": "fail", "job.default.system": "k", "task.inputs": "id"}, True),
        ({"streams.id.samza.offset.default": "fail"}, True),
        ({"samza.offset.default": "fail", "systems.k.samza.offset.defaults": "fail"}, False),
    ],
)
def test_a_default_of_an_input_must_be_known(config: dict[str, str], named: bool) -> None:
    if not named:
        refuse_unknown_defaults(config)
        return
    with pytest.raises(ConfigError, match=r"(systems\.k|streams\.id)\.") as refused:
        refuse_unknown_defaults(config)
    assert isinstance(refused.value, ValueError)


def test_reset_is_a_boolean_of_the_stream_or_of_the_system_s_streams() -> None:
    assert OffsetSettings(RESET).is_reset("k", "s")
    assert not OffsetSettings(RESET).is_reset("k", "t")
    assert not OffsetSettings({**RESET, "systems.k.streams.s.samza.reset.offset": "yes"}).is_reset("k", "s")
    assert OffsetSettings({"systems.k.default.stream.samza.reset.offset": "TRUE"}).is_reset("k", "s")


def test_only_kafka_s_next_offset_is_known() -> None:
    assert OffsetSettings(KAFKA).next_offset("k", "45") == "46"
    assert OffsetSettings(KAFKA).next_offset("k", "-1") == "0"
    assert OffsetSettings(KAFKA).next_offset("k", str(2**63 - 2)) == str(2**63 - 1)
    assert OffsetSettings(KAFKA).next_offset("k", str(2**63 - 1)) is None
    assert OffsetSettings(KAFKA).next_offset("k", "4x") is None
    assert OffsetSettings(KAFKA).next_offset("other", "45") is None
    assert OffsetSettings(KAFKA).next_offset("k", "9" * 5000) is None


def test_the_settings_of_a_stream_s_id_count_first() -> None:
    by_name = {
        "systems.k.streams.page-views.samza.offset.default": "upcoming",
        "systems.k.streams.page-views.samza.reset.offset": "false",
    }
    settings = OffsetSettings(BY_ID | by_name)
    assert settings.default_offset("k", "page-views") == "oldest"
    assert settings.is_reset("k", "page-views")
    assert settings.default_offset("k", "views") == "upcoming"  # only an id
    assert not settings.is_reset("j", "page-views")


def test_an_id_without_names_is_a_stream_of_the_default_system() -> None:
    settings = OffsetSettings({"job.default.system": "k", "streams.s.samza.offset.default": "oldest"})
    assert settings.default_offset("k", "s") == "oldest"
    assert OffsetSettings({"streams.s.samza.offset.default": "oldest"}).default_offset("k", "s") == "upcoming"


def test_a_stream_with_several_ids_is_refused() -> None:
    settings = OffsetSettings({**BY_ID, "job.default.system": "k", "streams.page-views.samza.key.serde": "string"})
    with pytest.raises(ConfigError, match="page-views of system k has several ids: page-views, views"):
        settings.default_offset("k", "page-views")
