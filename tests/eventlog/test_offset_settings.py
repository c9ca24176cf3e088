"""The settings of a job's config about where its streams start."""

import pytest

from eventlog.errors import ConfigError
from eventlog.offset_settings import OffsetSettings, refuse_unknown_defaults

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
