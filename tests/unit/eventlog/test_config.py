"""Booleans and integers in a job's config, the streams that it reads, and where its streams start."""

import pytest

from eventlog.config import OffsetSettings, boolean, broadcast_partitions, integer, refuse_unknown_defaults, task_inputs
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
    with pytest.raises(ConfigError, match=rf"^key is {text!r}\. Expected an integer\.$"):
        integer({"key": text}, "key", 1)


@pytest.mark.parametrize("text", ["-1", "-007", "few"])
def test_an_integer_may_have_a_minimum(text: str) -> None:
    assert integer({"key": "0"}, "key", 1, minimum=0) == 0
    with pytest.raises(ConfigError, match=rf"^key is '{text}'\. Expected an integer, 0 or more\.$"):
        integer({"key": text}, "key", 1, minimum=0)


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
BY_ID = {
    "streams.views.samza.system": "k",
    "streams.views.samza.physical.name": "page-views",
    "streams.views.samza.offset.default": "oldest",
    "streams.views.samza.reset.offset": "true",
}


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


def test_no_offset_follows_one_of_thousands_of_digits() -> None:
    assert OffsetSettings(KAFKA).next_offset("k", "9" * 5000) is None


def test_a_stream_with_several_ids_is_refused() -> None:
    settings = OffsetSettings({**BY_ID, "job.default.system": "k", "streams.page-views.samza.key.serde": "string"})
    with pytest.raises(ConfigError, match=r"k\.page-views has the ids page-views, views"):
        settings.default_offset("k", "page-views")
