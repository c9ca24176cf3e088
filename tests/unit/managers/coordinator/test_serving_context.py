"""What those who start containers get from a job coordinator."""

import pytest

from managers.assignments.job_model_assignments import ContainerLocality
from managers.coordinator.serving_context import preferred_hosts
from managers.job_models.job_model_building import build_job_model


@pytest.mark.scenario("HRD-31")
def test_each_container_of_the_job_has_a_host_and_no_other_container() -> None:
    hosts = {each: ContainerLocality(each, host) for each, host in (("0", "host-1"), ("2", ""), ("3", "host-4"))}
    model = build_job_model({"task.inputs": "kafka.in", "job.container.count": "3"}, {("kafka", "in"): range(3)}, {})
    preferred = preferred_hosts(model, hosts)
    assert preferred == {"0": "host-1", "1": "ANY_HOST", "2": "ANY_HOST"}
