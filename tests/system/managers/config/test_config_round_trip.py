"""Config is read by Samza 1.8.0 itself, and the other way round, on a real broker."""

from typing import Final

import pytest

from eventlog.kafka.admin import KafkaAdmin
from eventlog.kafka.log import KafkaEventLog
from eventlog.kafka.options import KafkaOptions
from eventlog.streams import coordinator_stream_name, identify
from managers.config.job_config import delete_config, read_config, set_config, write_config
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.stream_creation import create_coordinator_stream
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.samza import Samza, signed_by_nobody

pytestmark = [pytest.mark.kafka, pytest.mark.slow, pytest.mark.long]

AWKWARD: Final = {
    "empty": "",
    "null": "null",
    "spaces in a key": "  around  ",
    'quotes " and \\ and /': 'quotes " and \\ and /',
    "controls \x01\n": "\x00\b\t\n\f\r\x1f\x7f\x85\u2028\u2029\ufeff",
    "ключ": "значение",
    "astral \U0001f680": "\U0001f680\U0010ffff",
    "json": '[1,"set-config","x"]',
    "long": "x" * 100_000,
}


@pytest.fixture
def stream_name(topics: Topics, job_name: str) -> str:
    name = coordinator_stream_name(job_name)
    topics.will_be_made(name)
    return name


def make_stream(options: KafkaOptions, config: dict[str, str]) -> None:
    with KafkaAdmin(options) as admin:
        create_coordinator_stream(admin, config)


def test_each_reads_the_config_that_the_other_writes_and_writes_the_same(
    samza: Samza, kafka_options: KafkaOptions, topics: Topics, stream_name: str, job_name: str
) -> None:
    first = {**samza.config(job_name), **AWKWARD, "dropped": "1"}
    second = {**samza.config(job_name), **AWKWARD, "added": "2", "ended": "3"}
    samza.write_config(first)
    theirs = {kept.key: signed_by_nobody(kept.value) for kept in topics.kept(stream_name)}
    end = topics.end_offset(stream_name)
    with KafkaEventLog(kafka_options, identify(stream_name)) as log, CoordinatorStreamStore(log) as store:
        assert read_config(store) == first
        write_config(store, first)
        ours = {kept.key: signed_by_nobody(kept.value) for kept in topics.kept(stream_name) if kept.offset >= end}
        assert ours == theirs
        assert len(ours) == len(first)
        write_config(store, second)
        set_config(store, "added", "\u2713")
        delete_config(store, "ended")
        expected = {**samza.config(job_name), **AWKWARD, "added": "\u2713"}
        assert samza.read_config(job_name) == expected == read_config(store)
        samza.write_config(second)
        samza.set_config(job_name, {"added": "", "set \u2713": "\U0001f680"})
        assert read_config(store) == {**second, "added": "", "set \u2713": "\U0001f680"} == samza.read_config(job_name)


@pytest.mark.scenario("CFG-11")
def test_both_create_the_same_stream(
    samza: Samza, kafka_options: KafkaOptions, topics: Topics, stream_name: str, job_name: str
) -> None:
    config = samza.config(job_name)
    samza.write_config(config)
    theirs = topics.settings_of(stream_name)
    topics.delete(stream_name)
    make_stream(kafka_options, config)
    assert topics.settings_of(stream_name) == theirs
