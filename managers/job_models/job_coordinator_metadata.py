"""What a job coordinator was started with, as three ids, and how they are made (seed 003).

Two attempts of one deployment have the same epoch; the ids of config and job model tell whether these have changed.
"""

import re
import zlib
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Final

from crc32c import crc32c

from managers.job_models.java_text import text_order
from managers.job_models.job_model import JobModel
from managers.job_models.job_model_json import containers_json
from managers.job_names import Config

CONFIG_PREFIX: Final = "job.autosizing"
"""The keys that the id of a config is made of start with this: also ``job.autosizingX``, as with Samza."""

_EPOCH_OF_RESOURCE_MANAGER: Final = re.compile(r"e[0-9]+")


class JobMetadataChange(StrEnum):
    """What differs from the last job coordinator's metadata."""

    NEW_DEPLOYMENT = "NEW_DEPLOYMENT"
    JOB_MODEL = "JOB_MODEL"
    CONFIG = "CONFIG"


@dataclass(frozen=True, slots=True)
class JobCoordinatorMetadata:
    """The ids of a deployment, of its config and of its job model. Raises ValueError where one is blank."""

    epoch_id: str
    config_id: str
    job_model_id: str

    def __post_init__(self) -> None:
        for name in (each.name for each in fields(self)):
            value = getattr(self, name)
            if not isinstance(value, str) or not value.strip():
                raise ValueError(f"{name} is {value!r}: give it a text that is not blank")


def yarn_epoch_id(container_id: str) -> str:
    """The application of a YARN container, ``<ts>_<app>`` of ``container_<ts>_<app>_…``.

    So it is of ``container_e17_<ts>_<app>_…``, where Samza 1.8.0 takes ``e17_<ts>``, which other applications have too.

    Raises:
        ValueError: there is no application in it.
    """
    parts = container_id.rstrip("_").split("_")[1:]
    if len(parts) > 2 and _EPOCH_OF_RESOURCE_MANAGER.fullmatch(parts[0]):
        parts = parts[1:]
    if len(parts) < 2:
        raise ValueError(
            f"{container_id!r} is no id of a YARN container, such as container_1606797336059_0010_01_000002"
        )
    return f"{parts[0]}_{parts[1]}"


def config_id(config: Config) -> str:
    """CRC-32 of the settings for auto-sizing: sorted keys and their values as UTF-16, as a signed number."""
    chosen = sorted((key for key in config if key.startswith(CONFIG_PREFIX)), key=text_order)
    return _signed(zlib.crc32(b"".join(_units(key) + _units(config[key]) for key in chosen)))


def job_model_id(model: JobModel) -> str:
    """CRC-32C of the JSON of the model's containers, as a signed number; equal work gives the same one.

    It is Samza's own number, whose JSON is in the order of Java's hash maps: always that of a model that was read from
    Samza's JSON. Of one that was built here, unless parts share a bucket and only Samza knows which it put in first:
    with standby or more than ten containers (where it differs from start to start), and after tasks have changed their
    container.
    """
    return _signed(crc32c(containers_json(model)))


def _units(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def _signed(checksum: int) -> str:
    return str(checksum - (1 << 32) if checksum >> 31 else checksum)
