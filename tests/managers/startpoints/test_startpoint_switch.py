"""Whether a start of a job hands out startpoints."""

import pytest

from managers.startpoints.startpoint_switch import should_fan_out_startpoints

HA = {"yarn.am.high-availability.enabled": "true"}


@pytest.mark.parametrize(
    ("config", "changes", "expected"),
    [
        ({}, set(), True),
        ({"yarn.am.high-availability.enabled": "false"}, set(), True),
        (HA, set(), False),
        (HA, {"JOB_MODEL"}, True),
        ({"job.startpoint.enabled": "True", **HA}, {"NEW_DEPLOYMENT"}, True),
        ({"job.startpoint.enabled": "false", **HA}, {"NEW_DEPLOYMENT"}, False),
        ({"job.startpoint.enabled": "false"}, set(), False),
    ],
)
@pytest.mark.scenario("SPM-27")
def test_with_high_availability_only_a_changed_job_fans_out(
    config: dict[str, str], changes: set[str], expected: bool
) -> None:
    assert should_fan_out_startpoints(config, changes) is expected
