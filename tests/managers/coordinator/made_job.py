"""The config of a job for tests of its coordinator."""

from collections.abc import Mapping

from managers.coordinator.job_coordinator import JobCoordinator, plan_job, read_job_config
from managers.coordinator.serving_context import JobAttempt
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.streams.stream_creation import InputAdmin

ENVIRONMENT = {"SAMZA_EPOCH_ID": "deployment-1"}


def job_config(name: str, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """A job that reads the stream ``views`` of ``kafka``, with a store and a checkpoint topic."""
    return {
        "job.name": name,
        "task.class": "demo.Task",
        "task.inputs": "kafka.views",
        "job.default.system": "kafka",
        "job.container.count": "2",
        "task.checkpoint.factory": "org.apache.samza.checkpoint.kafka.KafkaCheckpointManagerFactory",
        "stores.s.factory": "org.apache.samza.storage.kv.RocksDbKeyValueStorageEngineFactory",
        "stores.s.changelog": f"kafka.{name}-changelog",
        **(more or {}),
    }


def start_job(
    coordinator: JobCoordinator,
    store: CoordinatorStreamStore,
    admins: Mapping[str, InputAdmin],
    submitted: Mapping[str, str] | None,
) -> JobAttempt:
    return coordinator.start(plan_job(store, read_job_config(store, submitted), admins), admins)
