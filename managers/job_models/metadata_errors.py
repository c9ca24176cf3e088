"""What can go wrong with a job coordinator's metadata; each error keeps what it is about as attributes.

ManagerError
 ├─ MetadataNotGenerated  the environment does not tell which deployment this is
 └─ MetadataNotWritten    the store did not take it
"""

from managers.errors import ManagerError
from managers.job_models.job_coordinator_metadata import JobCoordinatorMetadata


class MetadataNotGenerated(ManagerError):
    """No ids could be made of what the job coordinator was started with."""

    def __init__(self, cluster_type: str, variable: str) -> None:
        self.cluster_type = cluster_type
        self.variable = variable
        super().__init__(
            f"failed to generate metadata for cluster type {cluster_type}: "
            f"see that the environment variable {variable} has the deployment's id"
        )


class MetadataNotWritten(ManagerError):
    """The metadata is not known to be on the stream: the next attempt may take itself for a new deployment."""

    def __init__(self, cluster_type: str, metadata: JobCoordinatorMetadata) -> None:
        self.cluster_type = cluster_type
        self.metadata = metadata
        super().__init__(
            f"failed to write the metadata of cluster type {cluster_type}: "
            f"see why the log takes no events, and write it again; it is {metadata!r}"
        )
