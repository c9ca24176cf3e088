"""The monitors of a running job's inputs, on real Kafka."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Final

import pytest

from coordstream.coordinator.checks import StreamPartitionCountMonitor, StreamRegexMonitor
from eventlog.kafka.admin import KafkaAdmin
from eventlog.kafka.options import KafkaOptions
from managers.job_models.job_model_building import build_job_model
from managers.job_names import Config
from managers.streams.stream_creation import InputAdmin
from tests.fixtures.coordstream.coordinator.serving import context_of
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.waiting import PATIENCE

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

    monitors = [each(context, open_admins, errors.append) for each in (StreamPartitionCountMonitor, StreamRegexMonitor)]
    with ExitStack() as stopped:
        for monitor in monitors:
            stopped.callback(monitor.stop)
            monitor.start()
        topics.grow(stream, 16)
        grown = context.changes.get(timeout=PATIENCE)
        topics.create(later)
        new = context.changes.get(timeout=PATIENCE)
    assert grown == f"kafka.{stream} has 16 partitions; the job model has 8"
    assert new == f"New streams match the job's inputs: kafka.{later}"
    assert (errors, context.changes.empty()) == ([], True)
