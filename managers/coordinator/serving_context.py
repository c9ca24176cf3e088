"""What a job coordinator serves: the current attempt, and the hosts to request for its containers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Final

from eventlog.partition import natural_order
from managers.assignments.job_model_assignments import ContainerLocality
from managers.job_models.job_coordinator_metadata import JobCoordinatorMetadata, JobMetadataChange
from managers.job_models.job_model import JobModel
from managers.job_names import Config

ReadLocality = Callable[[], Mapping[str, ContainerLocality]]
COORDINATOR_URL: Final = "SAMZA_COORDINATOR_URL"
ANY_HOST: Final = "ANY_HOST"


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


def preferred_hosts(model: JobModel, localities: Mapping[str, ContainerLocality]) -> dict[str, str]:
    """The host to request for each container: its last one, else ``ANY_HOST`` (SAMZA-2304)."""
    known = {container_id: locality.preferred_host for container_id, locality in localities.items()}
    return {each: known.get(each) or ANY_HOST for each in sorted(model.containers, key=natural_order)}
