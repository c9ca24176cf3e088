"""JobCoordinatorMetadata and JobCoordinatorMetadataManager: the ids of a deployment, its config and its job model."""

import logging
import os
import re
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Final

from crc32c import crc32c

from eventlog.errors import WireError
from eventlog.log import Clock, system_clock
from eventlog.messages import PROTOCOL_VERSION, SetJobCoordinatorMetadata
from eventlog.wire.coordinator import CoordinatorKey, decode_message
from managers.errors import ManagerError
from managers.job_models.job_model import JobModel
from managers.job_models.job_model_json import containers_json
from managers.job_models.jvm_order import text_order
from managers.job_names import Config
from managers.stored_messages import MessageManager
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.stores.keyed_state import NamespacedKey

CONFIG_PREFIX: Final = "job.autosizing"
"""The prefix of the keys that make up the config id. It also matches ``job.autosizingX``, as in Samza."""

_EPOCH_OF_RESOURCE_MANAGER: Final = re.compile(r"e[0-9]+")
YARN: Final = "YARN"
NON_YARN: Final = "NON_YARN"
CONTAINER_ID: Final = "CONTAINER_ID"
EPOCH_ID: Final = "SAMZA_EPOCH_ID"
_logger: Final = logging.getLogger(__name__)


class JobMetadataChange(StrEnum):
    """A difference from the metadata of the previous job coordinator (Samza's enum)."""

    NEW_DEPLOYMENT = "NEW_DEPLOYMENT"
    JOB_MODEL = "JOB_MODEL"
    CONFIG = "CONFIG"


_IDS: Final = {
    JobMetadataChange.NEW_DEPLOYMENT: "epoch_id",
    JobMetadataChange.JOB_MODEL: "job_model_id",
    JobMetadataChange.CONFIG: "config_id",
}
"""The id that is different after each change."""


@dataclass(frozen=True, slots=True)
class JobCoordinatorMetadata:
    """The ids of a deployment, its config and its job model (Samza's class). Raises ValueError for a blank id."""

    epoch_id: str
    config_id: str
    job_model_id: str

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not isinstance(value, str) or not value.strip():
                raise ValueError(f"{name} must be a string that is not blank, not {value!r}")


class MetadataNotGenerated(ManagerError):
    """The environment does not have a valid epoch id."""

    def __init__(self, cluster_type: str, variable: str) -> None:
        self.cluster_type = cluster_type
        super().__init__(
            f"Failed to generate metadata for cluster type {cluster_type}: the environment variable {variable} does "
            "not have a valid epoch id."
        )


class MetadataNotWritten(ManagerError):
    """The metadata may not be on the stream. If it is not, the next attempt looks like a new deployment."""

    def __init__(self, cluster_type: str, metadata: JobCoordinatorMetadata) -> None:
        self.cluster_type = cluster_type
        self.metadata = metadata
        super().__init__(
            f"Failed to write the metadata of cluster type {cluster_type}. "
            f"Check why the log accepts no events, and write it again: {metadata!r}."
        )


def yarn_epoch_id(container_id: str) -> str:
    """The application of a YARN container: ``<timestamp>_<application>`` of ``container_<timestamp>_<application>_…``.

    Also of ``container_e17_<timestamp>_<application>_…``, for which Samza 1.8.0 uses ``e17_<timestamp>``; that is not
    unique to the application. Raises ValueError.
    """
    parts = container_id.rstrip("_").split("_")[1:]
    if len(parts) > 2 and _EPOCH_OF_RESOURCE_MANAGER.fullmatch(parts[0]):
        parts = parts[1:]
    if len(parts) < 2:
        raise ValueError(
            f"{container_id!r} is not the id of a YARN container, such as container_1606797336059_0010_01_000002"
        )
    return f"{parts[0]}_{parts[1]}"


def config_id(config: Config) -> str:
    """CRC-32 of the auto-sizing settings (sorted keys with their values, UTF-16), as a signed number.

    Raises TypeError for a value that is not a string.
    """
    chosen = sorted((key for key in config if key.startswith(CONFIG_PREFIX)), key=text_order)
    if others := [key for key in chosen if not isinstance(config[key], str)]:
        raise TypeError(f"the value of {others[0]} must be a string, not {type(config[others[0]]).__name__}")
    return _to_signed(zlib.crc32(b"".join(_utf_16(key) + _utf_16(config[key]) for key in chosen)))


def job_model_id(model: JobModel) -> str:
    """CRC-32C of the JSON of the model's containers, as a signed number; equal for equal assignments.

    It is Samza's id for a model that was read from Samza's JSON. For a model that was built here it can differ if parts
    share a bucket and their order of insertion is only known to Samza: with standby containers, with more than ten
    containers, and after tasks have moved to other containers.
    """
    return _to_signed(crc32c(containers_json(model)))


def _utf_16(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def _to_signed(checksum: int) -> str:
    return str(checksum - (1 << 32) if checksum >> 31 else checksum)


@dataclass(slots=True)
class MetadataMetrics:
    """Counters, and gauges that are 1 after the event."""

    application_attempt_count: int = 0
    new_deployment: int = 0
    job_model_changed: int = 0
    config_changed: int = 0
    metadata_generation_failed_count: int = 0
    metadata_read_failed_count: int = 0
    metadata_write_failed_count: int = 0


class JobCoordinatorMetadataManager(MessageManager):
    """The metadata of the job coordinator of one cluster type (Samza's class).

    ``environment`` has the epoch id: ``CONTAINER_ID`` for YARN, otherwise ``SAMZA_EPOCH_ID`` (SAMZA-2670).
    """

    def __init__(
        self,
        store: CoordinatorStreamStore,
        cluster_type: str = YARN,
        *,
        environment: Mapping[str, str] = os.environ,
        clock: Clock = system_clock,
    ) -> None:
        """Raises ValueError for a cluster type that is not a name."""
        if not (cluster_type or "").strip():
            raise ValueError(f"cluster_type must be {YARN!r} or {NON_YARN!r}, not {cluster_type!r}")
        super().__init__(store, clock=clock)
        self.metrics: Final = MetadataMetrics()
        self.cluster_type: Final = cluster_type
        self._environment: Final = environment

    def generate_job_coordinator_metadata(self, job_model: JobModel, config: Config) -> JobCoordinatorMetadata:
        """The metadata of this start. Raises `MetadataNotGenerated`."""
        is_yarn = self.cluster_type == YARN
        variable = CONTAINER_ID if is_yarn else EPOCH_ID
        try:
            epoch_id = yarn_epoch_id(self._environment[variable]) if is_yarn else self._environment[variable]
            return JobCoordinatorMetadata(epoch_id, config_id(config), job_model_id(job_model))
        except (KeyError, ValueError) as error:
            self.metrics.metadata_generation_failed_count += 1
            raise MetadataNotGenerated(self.cluster_type, variable) from error

    def check_for_metadata_changes(
        self, new: JobCoordinatorMetadata, previous: JobCoordinatorMetadata | None
    ) -> frozenset[JobMetadataChange]:
        """The differences; everything without previous metadata. Updates the metrics."""
        changes = frozenset(
            change for change, name in _IDS.items() if previous is None or getattr(new, name) != getattr(previous, name)
        )
        if JobMetadataChange.NEW_DEPLOYMENT in changes:
            self.metrics.new_deployment = 1
        elif changes:
            self.metrics.job_model_changed |= JobMetadataChange.JOB_MODEL in changes
            self.metrics.config_changed |= JobMetadataChange.CONFIG in changes
        else:
            self.metrics.application_attempt_count += 1
        return changes

    def read_job_coordinator_metadata(self) -> JobCoordinatorMetadata | None:
        """The last written metadata; None if there is none, or it lacks an id.

        If the newest value is unreadable, the last readable one on the log counts.
        """
        key = CoordinatorKey(PROTOCOL_VERSION, SetJobCoordinatorMetadata.message_type, self.cluster_type)
        try:
            decode_message(key, self._store.get(NamespacedKey(key.message_type, key.key)))
        except WireError as error:
            self._ignore(error)
        message = self._store.messages(SetJobCoordinatorMetadata.message_type).get(self.cluster_type)
        if not isinstance(message, SetJobCoordinatorMetadata):
            return None
        try:
            return JobCoordinatorMetadata(message.epoch_id or "", message.config_id or "", message.job_model_id or "")
        except ValueError as error:
            self._ignore(error)
            return None

    def _ignore(self, error: Exception) -> None:
        self.metrics.metadata_read_failed_count += 1
        _logger.warning("Ignoring the metadata of cluster type %s: %s", self.cluster_type, error)

    def write_job_coordinator_metadata(self, metadata: JobCoordinatorMetadata) -> None:
        """Write metadata, unless the stream already has it. Raises `MetadataNotWritten`."""
        message = SetJobCoordinatorMetadata(cluster_type=self.cluster_type, **asdict(metadata))
        try:
            if self.read_job_coordinator_metadata() != metadata:
                self._write([message])
        except Exception as error:
            self.metrics.metadata_write_failed_count += 1
            raise MetadataNotWritten(self.cluster_type, metadata) from error
