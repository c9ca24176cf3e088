"""What can go wrong with a job coordinator's metadata."""

from copy import copy

import pytest

from managers.errors import ManagerError
from managers.job_models.job_coordinator_metadata import JobCoordinatorMetadata
from managers.job_models.metadata_errors import MetadataNotGenerated, MetadataNotWritten


@pytest.mark.parametrize(
    "error",
    [MetadataNotGenerated("YARN", "CONTAINER_ID"), MetadataNotWritten("YARN", JobCoordinatorMetadata("e", "c", "m"))],
)
def test_an_error_keeps_what_it_is_about(error: ManagerError) -> None:
    again = copy(error)  # by way of what a pickle holds
    assert (str(again), vars(again)) == (str(error), vars(error))
    assert vars(error)["cluster_type"] == "YARN"
