"""The id of the deployment that a job coordinator belongs to: from the environment, or else from the job's config."""

from collections.abc import Mapping

from eventlog.messages import SetConfig
from managers.job_models.job_coordinator_metadata_manager import CONTAINER_ID, EPOCH_ID, NON_YARN, YARN
from managers.job_names import JOB_NAME, Config, job_id, job_name
from managers.stores.metadata_store import NamespacedStore


def cluster_type_of(environment: Mapping[str, str]) -> str:
    """``YARN`` if its variable has the deployment id, and that of other clusters is not set; else ``NON_YARN``."""
    return YARN if CONTAINER_ID in environment and EPOCH_ID not in environment else NON_YARN


def with_deployment_id(
    environment: Mapping[str, str], store: NamespacedStore, config: Config, written_ms: int | None
) -> dict[str, str]:
    """The environment with a deployment id. If it has none: the job's name and id, and when its config was submitted.

    All attempts after one submission have the same id. ``written_ms``: the time, if the config is submitted now; None:
    that of the job's name on the stream.
    """
    if EPOCH_ID in environment or CONTAINER_ID in environment:
        return dict(environment)
    submitted = _submitted_ms(store) if written_ms is None else written_ms
    return {**environment, EPOCH_ID: f"{job_name(config)}-{job_id(config)}-{submitted}"}


def _submitted_ms(store: NamespacedStore) -> int:
    message = store.messages(SetConfig.message_type).get(JOB_NAME)
    envelope = message.envelope if isinstance(message, SetConfig) else None
    return 0 if envelope is None else envelope.timestamp or 0
