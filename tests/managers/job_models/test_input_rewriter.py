"""Inputs that config names by a pattern."""

import pytest

from eventlog.errors import ConfigError
from managers.job_models.input_rewriter import with_matching_inputs

REWRITER = {
    "job.config.rewriters": "mine,by-pattern",
    "job.config.rewriter.mine.class": "org.example.MyRewriter",
    "job.config.rewriter.by-pattern.class": "org.apache.samza.config.RegExTopicGenerator",
    "job.config.rewriter.by-pattern.regex": ".*-views",
    "job.config.rewriter.by-pattern.system": "kafka",
    "job.config.rewriter.by-pattern.config.samza.offset.default": "oldest",
}


def test_streams_that_match_are_inputs() -> None:
    config = {"task.inputs": "kafka.orders"} | REWRITER
    found = with_matching_inputs(config, {"kafka": ["page-views", "ad-views", "views-of"], "other": ["x-views"]})
    assert found.pop("task.inputs") == "kafka.ad-views,kafka.orders,kafka.page-views"
    assert found.pop("systems.kafka.streams.page-views.samza.offset.default") == "oldest"
    assert found.pop("systems.kafka.streams.ad-views.samza.offset.default") == "oldest"
    assert found == REWRITER


def test_what_is_set_for_a_stream_stays() -> None:
    key = "systems.kafka.streams.page-views.samza.offset.default"
    assert with_matching_inputs(REWRITER | {key: "upcoming"}, {"kafka": ["page-views"]})[key] == "upcoming"


def test_without_a_rewriter_by_pattern_config_is_as_it_is() -> None:
    config = {"task.inputs": "kafka.b,kafka.a", "job.config.rewriters": "mine"}
    assert with_matching_inputs(config, {"kafka": ["c"]}) == config


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({"job.config.rewriter.by-pattern.regex": "["}, r"by-pattern\.regex is no regular expression"),
        ({"job.config.rewriter.by-pattern.regex": None}, r"the config has no job\.config\.rewriter\.by-pattern\.regex"),
        ({"job.config.rewriter.by-pattern.system": None}, r"the config has no .*by-pattern\.system"),
    ],
)
def test_what_can_t_be_used_is_named(config: dict[str, str | None], sentence: str) -> None:
    changed = {key: value for key, value in (REWRITER | config).items() if value is not None}
    with pytest.raises(ConfigError, match=sentence):
        with_matching_inputs(changed, {"kafka": ["page-views"]})
