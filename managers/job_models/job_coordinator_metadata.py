"""JobCoordinatorMetadata: the ids of a deployment, its config and its job model, and the errors about them.

Two attempts of one deployment have the same epoch id. The other ids show whether its config or job model changed.
"""

import re
import zlib
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Final

from crc32c import crc32c

from managers.errors import ManagerError
from managers.job_models.job_model import JobModel
from managers.job_models.job_model_json import containers_json
from managers.job_models.jvm_order import text_order
from managers.job_names import Config

CONFIG_PREFIX: Final = "job.autosizing"
"""The prefix of the keys that make up the config id. It also matches ``job.autosizingX``, as in Samza."""

_EPOCH_OF_RESOURCE_MANAGER: Final = re.compile(r"e[0-9]+")


class JobMetadataChange(StrEnum):
    """A difference from the metadata of the previous job coordinator (Samza's enum)."""

    NEW_DEPLOYMENT = "NEW_DEPLOYMENT"
    JOB_MODEL = "JOB_MODEL"
    CONFIG = "CONFIG"


@dataclass(frozen=True, slots=True)
class JobCoordinatorMetadata:
    """The ids of a deployment, its config and its job model (Samza's class). Raises ValueError for a blank id."""

    epoch_id: str
    config_id: str
    job_model_id: str

    def __post_init__(self) -> None:
        for name in (each.name for each in fields(self)):
            value = getattr(self, name)
            if not isinstance(value, str) or not value.strip():
                raise ValueError(f"{name} must be a string that is not blank, not {value!r}")


class MetadataNotGenerated(ManagerError):
    """The environment does not have the id of the deployment."""

    def __init__(self, cluster_type: str, variable: str) -> None:
        self.cluster_type = cluster_type
        self.variable = variable
        super().__init__(
            f"Failed to generate metadata for cluster type {cluster_type}: "
            f"the environment variable {variable} does not have a valid deployment id."
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

    Also of ``container_e17_<timestamp>_<application>_…``, for which Samza 1.8.0 uses ``e17_<timestamp>``; that is
    not unique to the application.

    Raises:
        ValueError: it is not the id of a YARN container.
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
    """CRC-32 of the auto-sizing settings (sorted keys with their values, UTF-16), as a signed number."""
    chosen = sorted((key for key in config if key.startswith(CONFIG_PREFIX)), key=text_order)
    return _to_signed(zlib.crc32(b"".join(_utf_16(key) + _utf_16(config[key]) for key in chosen)))


def job_model_id(model: JobModel) -> str:
    """CRC-32C of the JSON of the model's containers, as a signed number; equal for equal assignments.

    It is the same as Samza's, whose JSON is in the order of Java's hash maps, for a model that was read from Samza's
    JSON. For a model that was built here it can differ if parts share a bucket and their order of insertion is only
    known to Samza: with standby containers, with more than ten containers (where it differs from start to start in
    Samza, too), and after tasks have moved to other containers.
    """
    return _to_signed(crc32c(containers_json(model)))


def _utf_16(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def _to_signed(checksum: int) -> str:
    return str(checksum - (1 << 32) if checksum >> 31 else checksum)
