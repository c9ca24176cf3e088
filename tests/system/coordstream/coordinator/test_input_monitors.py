"""The monitors of a running job's inputs, on real Kafka."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import pytest

from coordstream.coordinator.input_monitors import InputMonitors
from eventlog.errors import ConfigError, EventLogError
from eventlog.kafka.admin import KafkaAdmin
from eventlog.kafka.options import KafkaOptions
from eventlog.source import SourceUnavailable, StreamMissing
from managers.job_models.job_model_building import build_job_model
from managers.job_names import Config
from managers.streams.stream_creation import InputAdmin
from tests.fixtures.coordstream.coordinator.serving import context_of
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.waiting import PATIENCE, wait_until

STORE: Final = {"stores.s.factory": "org.apache.samza.storage.kv.RocksDbKeyValueStorageEngineFactory"}
OFTEN: Final = {
    "job.coordinator.monitor-partition-change.frequency.ms": "50",
    "job.coordinator.monitor-input-regex.frequency.ms": "50",
}


@pytest.mark.kafka
@pytest.mark.slow
def test_growing_inputs_and_new_streams_are_reported(
    topics: Topics, kafka_options: KafkaOptions, job_name: str
) -> None:
    stream, later = f"{job_name}-clicks", f"{job_name}-views"
    topics.create(stream, {}, partitions=8)
    config = {
        **OFTEN,
        **STORE,
        "task.inputs": f"kafka.{stream}",
        "job.config.rewriters": "all",
        "job.config.rewriter.all.system": "kafka",
        "job.config.rewriter.all.regex": f"{job_name}-.*",
    }
    model = build_job_model(config, {("kafka", stream): range(8)}, {})
    context = context_of(model)
    errors: list[str] = []

    @contextmanager
    def open_admins(_config: Config) -> Iterator[Mapping[str, InputAdmin]]:
        with KafkaAdmin(kafka_options) as admin:
            yield {"kafka": admin}

    monitors = InputMonitors(context, open_admins, errors.append)
    monitors.start()
    try:
        topics.grow(stream, 16)
        grown = context.changes.get(timeout=PATIENCE)
        topics.create(later)
        new = context.changes.get(timeout=PATIENCE)
    finally:
        monitors.stop()
    assert grown == f"kafka.{stream} has 16 partitions; the job model has 8"
    assert new == f"New streams match the job's inputs: kafka.{later}"
    assert (errors, context.changes.empty()) == ([], True)


@pytest.mark.parametrize(
    ("error", "is_outage"),
    [(SourceUnavailable("No broker answers."), True), (StreamMissing("in", "the brokers"), False)],
)
def test_brokers_that_do_not_answer_are_an_outage(error: EventLogError, is_outage: bool) -> None:
    def open_admins(_config: Config) -> Any:
        raise error

    model = build_job_model({**OFTEN, "task.inputs": "kafka.in"}, {("kafka", "in"): range(1)}, {})
    errors: list[str] = []
    monitors = InputMonitors(context_of(model), open_admins, errors.append)
    assert not monitors.has_outage
    monitors.start()
    try:
        wait_until(lambda: errors, what="the first check")
    finally:
        monitors.stop()
    assert monitors.has_outage is is_outage


@pytest.mark.parametrize("key", OFTEN)
def test_invalid_frequencies(key: str) -> None:
    model = build_job_model({"task.inputs": "kafka.in", key: "5 min"}, {("kafka", "in"): range(1)}, {})
    monitors = InputMonitors(context_of(model), _no_admins, _ignore)
    with pytest.raises(ConfigError) as caught:
        monitors.start()
    assert str(caught.value) == (f"{key} is '5 min'. Expected an integer in milliseconds; 0 disables the monitor.")


def _no_admins(_config: Config) -> Any:
    raise AssertionError("nothing is asked")


def _ignore(_sentence: str) -> None:
    """Of no interest."""
