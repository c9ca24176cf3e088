"""The values that Samza writes for each type (MSG-12)."""

import pytest

from eventlog.messages import (
    Message,
    SetChangelogMapping,
    SetConfig,
    SetContainerHostMapping,
    SetExecutionEnvContainerIdMapping,
    SetJobCoordinatorMetadata,
    SetTaskContainerMapping,
    SetTaskModeMapping,
    SetTaskPartitionMapping,
)
from eventlog.partition import SystemStreamPartition
from eventlog.wire.coordinator_values import values_of


@pytest.mark.parametrize(
    ("message", "values"),
    [
        (SetConfig(config_key="k", config_value="v"), {"value": "v"}),
        (SetChangelogMapping(task_name="t", changelog_partition=4), {"Partition": "4"}),
        (
            SetContainerHostMapping(container_id="0", host_name="h1", jmx_url="", jmx_tunneling_url=""),
            {"jmx-url": "", "host": "h1", "jmx-tunneling-url": ""},
        ),
        (SetTaskContainerMapping(task_name="t", container_id="0"), {"containerId": "0"}),
        (SetTaskModeMapping(task_name="t", task_mode="Active"), {"taskMode": "Active"}),
        (
            SetTaskPartitionMapping(partition=SystemStreamPartition("k", "s", 0), task_names=("t1",)),
            {"taskNames": '["t1"]'},
        ),
        (
            SetExecutionEnvContainerIdMapping(container_id="0", execution_container_id="container_1"),
            {"execution-env-container-id": "container_1"},
        ),
        (SetJobCoordinatorMetadata(cluster_type="YARN"), {"meta-key": "{}"}),
    ],
    ids=lambda given: given.message_type if isinstance(given, Message) else "",
)
def test_values(message: Message, values: dict[str, str]) -> None:
    assert list(values_of(message).items()) == list(values.items())
