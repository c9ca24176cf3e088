"""The settings that a job coordinator of ours does not implement: it refuses them, rather than ignore them."""

from collections.abc import Iterator
from typing import Final

from eventlog.config_values import boolean
from eventlog.errors import ConfigError
from eventlog.inputs import TASK_INPUTS
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY
from managers.checkpoints.checkpoint_place import CHECKPOINT_FACTORY, KAFKA_CHECKPOINT_FACTORY
from managers.job_models.inputs import unsupported_rewriters
from managers.job_models.job_model_building import require_known_grouping
from managers.job_names import Config
from managers.state.backend_choice import backup_factories, store_names
from managers.state.object_store_backend import OBJECT_STORE_STATE_BACKEND_FACTORY

COORDINATOR_FACTORY: Final = "job.coordinator.factory"
STATIC_RESOURCE: Final = "org.apache.samza.coordinator.staticresource.StaticResourceJobCoordinatorFactory"
DIAGNOSTICS: Final = "job.diagnostics.enabled"
APP_CLASS: Final = "app.class"
_BACKENDS: Final = (
    KAFKA_STATE_BACKEND_FACTORY,
    OBJECT_STORE_STATE_BACKEND_FACTORY,
    "org.apache.samza.storage.blobstore.BlobStoreStateBackendFactory",
)
_FILE_CHECKPOINTS: Final = "org.apache.samza.checkpoint.file.FileSystemCheckpointManagerFactory"


def require_supported(config: Config) -> None:
    """Raise `ConfigError` for a setting that this job coordinator does not implement."""
    require_known_grouping(config)
    for sentence in _refusals(config):
        raise ConfigError(sentence)


def _refusals(config: Config) -> Iterator[str]:
    for key, name in unsupported_rewriters(config):
        yield f"{key} is {name!r}, which is not supported. Apply this rewriter first, and remove it from the config."
    factory = config.get(COORDINATOR_FACTORY, STATIC_RESOURCE)
    if factory != STATIC_RESOURCE:
        yield (
            f"{COORDINATOR_FACTORY} is {factory}: the job's processors then coordinate themselves, and a coordinator "
            "beside them would contradict them. Remove the setting."
        )
    if APP_CLASS in config and not config.get(TASK_INPUTS, "").strip():
        yield (
            f"{TASK_INPUTS} is not set, because Samza's planner has not run: {APP_CLASS} is {config[APP_CLASS]}. "
            "Submit the job with Samza once, which writes the planned config."
        )
    if boolean(config, DIAGNOSTICS, default=False):
        yield f"{DIAGNOSTICS} is true, but diagnostics are not supported. Set it to false."
    yield from _storage_refusals(config)


def _storage_refusals(config: Config) -> Iterator[str]:
    checkpoints = config.get(CHECKPOINT_FACTORY, "").strip()
    if checkpoints not in ("", KAFKA_CHECKPOINT_FACTORY, _FILE_CHECKPOINTS):
        yield (
            f"{CHECKPOINT_FACTORY} is {checkpoints}, which is not supported. Set {KAFKA_CHECKPOINT_FACTORY}, or remove "
            "the setting."
        )
    for store in store_names(config):
        for factory in backup_factories(config, store):
            if factory not in _BACKENDS:
                yield f"Store {store} has the backup factory {factory}, which is not supported. Use one of Samza's."
