"""JobAttempt: what one start of a job coordinator computed, and what runs on."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from eventlog.frozen_dict import frozen
from managers.job_models.job_coordinator_metadata import JobCoordinatorMetadata, JobMetadataChange
from managers.job_models.job_model import JobModel


@dataclass(frozen=True, slots=True)
class JobAttempt:
    """The config and the job model of an attempt, and how they differ from those of the previous attempt.

    ``config`` is the config on the coordinator stream, which is also that of the job model. ``partition_counts``: see
    `JobPlan`.
    """

    config: Mapping[str, str]
    job_model: JobModel
    metadata: JobCoordinatorMetadata
    changes: frozenset[JobMetadataChange]
    partition_counts: Mapping[tuple[str, str], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "config", frozen(self.config))
        object.__setattr__(self, "partition_counts", frozen(self.partition_counts))
