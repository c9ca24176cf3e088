"""What a job coordinator serves: the current attempt, and the environment of containers."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Final

from eventlog.partition import natural_order
from managers.assignments.job_model_assignments import ContainerLocality
from managers.config.job_config import AUTOSIZING, is_autosized
from managers.job_models.job_coordinator_metadata import JobCoordinatorMetadata, JobMetadataChange
from managers.job_models.job_model import JobModel
from managers.job_names import Config

ReadLocality = Callable[[], Mapping[str, ContainerLocality]]
CONTAINER_ID: Final = "SAMZA_CONTAINER_ID"
COORDINATOR_URL: Final = "SAMZA_COORDINATOR_URL"
ANY_HOST: Final = "ANY_HOST"
_TASK_OPTIONS: Final = "task.opts"
_TASK_JAVA_HOME: Final = "task.java.home"
_CLASSPATH: Final = "additional.classpath.dir"
_MAX_HEAP: Final = f"{AUTOSIZING}container.maxheap.mb"
_HEAP_OPTION: Final = re.compile(r"-Xmx\S+")


@dataclass(frozen=True, slots=True)
class JobAttempt:
    """The config and the job model of an attempt, and how they differ from those of the previous attempt."""

    config: Mapping[str, str]
    job_model: JobModel
    metadata: JobCoordinatorMetadata
    changes: frozenset[JobMetadataChange]
    partition_counts: Mapping[tuple[str, str], int] = field(default_factory=dict)


class JobServingContext:
    """The current attempt of a job, replaced as a whole (JobModelServingContext of Samza). Thread-safe."""

    def __init__(self, read_locality: ReadLocality) -> None:
        self.read_locality: Final = read_locality
        """Reads the containers with a known host, by id, from the coordinator stream, in any thread."""
        self.attempt: JobAttempt | None = None
        """The current attempt; None before the job model is computed (an HTTP server then answers 404)."""
        self.changes: Final[SimpleQueue[str | None]] = SimpleQueue()
        """Sentences: why the coordinator's thread is to compute the job model again. None: stop waiting."""

    @property
    def config(self) -> Config:
        """That of the current attempt; empty before there is one."""
        attempt = self.attempt
        return {} if attempt is None else attempt.config


def container_environment(config: Config, url: str, container_id: str) -> dict[str, str]:
    """The environment variables with which a container's process starts (ShellCommandBuilder of Samza)."""
    java_home = {"JAVA_HOME": config[_TASK_JAVA_HOME]} if _TASK_JAVA_HOME in config else {}
    return {
        CONTAINER_ID: container_id,
        COORDINATOR_URL: url,
        "JAVA_OPTS": _java_options(config),
        "ADDITIONAL_CLASSPATH_DIR": config.get(_CLASSPATH, ""),
        **java_home,
    }


def preferred_hosts(model: JobModel, localities: Mapping[str, ContainerLocality]) -> dict[str, str]:
    """The host to request for each container: its last one, else ``ANY_HOST`` (SAMZA-2304)."""
    known = {container_id: locality.preferred_host for container_id, locality in localities.items()}
    return {each: known.get(each) or ANY_HOST for each in sorted(model.containers, key=natural_order)}


def _java_options(config: Config) -> str:
    """``task.opts``, with the heap size of auto-sizing if that is enabled."""
    options = config.get(_TASK_OPTIONS, "")
    if not is_autosized(config) or _MAX_HEAP not in config:
        return options
    heap = f"-Xmx{config[_MAX_HEAP]}m"
    return _HEAP_OPTION.sub(heap, options) if "-Xmx" in options else f"{options} {heap}".strip()
