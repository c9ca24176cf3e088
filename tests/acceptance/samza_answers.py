"""What Samza's own readers said of recording A (``expected*.json``), in the columns of the relations."""

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

from eventlog.events import RecordedEvent
from eventlog.recording import read_recording
from tests.builders import KAFKA_BACKEND

FOLDER: Final = Path(__file__).parents[1] / "recordings" / "A"
CHANGELOG: Final = "wordcount-pv-counts-changelog"
KINDS: Final = {
    "StartpointOldest": "oldest",
    "StartpointUpcoming": "upcoming",
    "StartpointSpecific": "specific",
    "StartpointTimestamp": "timestamp",
}

Row = tuple[Any, ...]
Said = dict[str, Any]


@cache
def recorded_stream(kind: str) -> tuple[RecordedEvent, ...]:
    """All events of one of the two streams."""
    return tuple(event for _, event in read_recording(FOLDER / f"{kind}.jsonl.gz"))


@cache
def answers(cut: str) -> Said:
    """What the readers said at one of the cuts: ``1`` to ``4``, or ``end``."""
    name = "expected.json" if cut == "end" else f"expected-{cut}.json"
    said: Said = json.loads((FOLDER / name).read_bytes())
    return said


def config(said: Said) -> list[Row]:
    return _rows(said["CoordinatorStreamUtil.readConfigFromCoordinatorStream"].items())


def changelog_mapping(said: Said) -> list[Row]:
    return _rows(said["ChangelogStreamManager.readPartitionMapping"].items())


def container_host(said: Said) -> list[Row]:
    localities = said["LocalityModel_json"]["processor-localities"].values()
    assert {one["id"]: one["host"] for one in localities} == said["LocalityManager.readLocality"]
    return _rows((one["id"], one["host"], one["jmx-url"], one["jmx-tunneling-url"]) for one in localities)


def container_execution(said: Said) -> list[Row]:
    return _rows(said["ExecutionContainerIdManager.readExecutionEnvironmentContainerIdMapping"].items())


def task_container(said: Said) -> list[Row]:
    return _rows(said["TaskAssignmentManager.readTaskAssignment"].items())


def task_mode(said: Said) -> list[Row]:
    return _rows(said["TaskAssignmentManager.readTaskModes"].items())


def job_coordinator_metadata(said: Said) -> list[Row]:
    """Cluster type, epoch, config, job model."""
    by_cluster = {
        cluster: said[f"JobCoordinatorMetadataManager.readJobCoordinatorMetadata.{cluster}"]
        for cluster in ("YARN", "NON_YARN")
    }
    return _rows(
        (cluster, found["epoch-id"], found["config-id"], found["job-model-id"])
        for cluster, found in by_cluster.items()
        if found is not None
    )


def task_partition(said: Said) -> list[Row]:
    found = said["TaskPartitionAssignmentManager.readTaskPartitionAssignments"]
    return _rows((*_partition(one), one["keyBucket"], task) for one in found for task in one["tasks"])


def startpoint(said: Said) -> list[Row]:
    """Partition, task, type, value, creation time in ms."""
    found = said["StartpointManager.readStartpoint"]
    return _rows((*_partition(one), one["task"], *_startpoint(one["startpoint"])) for one in found)


def startpoint_fan_out(said: Said) -> list[Row]:
    found: Said = said["StartpointManager.getFanOutForTask"]
    assert not found, "no cut has any; write this when a recording has"
    return []


def configured_read_versions(said: Said) -> str:
    """The versions that the job itself reads at the cut: V1 alone until run 4 says ``2,1``."""
    found: dict[str, str] = said["CoordinatorStreamUtil.readConfigFromCoordinatorStream"]
    return found.get("task.checkpoint.read.versions", "1")


def checkpoint(said: Said, read_versions: str) -> list[Row]:
    """Task, partition, offset, version, checkpoint id: the inputs only."""
    return _rows(
        (task, *_partition(one), one["offset"], last["version"], _checkpoint_id(last))
        for task, last in _last_checkpoints(said, read_versions).items()
        for one in last["offsets"]
        if one["stream"] != CHANGELOG
    )


def state_checkpoint(said: Said, read_versions: str) -> list[Row]:
    """Task, store, factory, marker, changelog's partition and offset, checkpoint id and version."""
    return _rows(
        (task, "counts", KAFKA_BACKEND, *entry, _checkpoint_id(last), last["version"])
        for task, last in _last_checkpoints(said, read_versions).items()
        for entry in (_v1_states(last) if last["version"] == 1 else _v2_states(last))
    )


def live_keys(said: Said) -> list[Row]:
    """(type, key) of everything that lives on the coordinator stream."""
    keys = (json.loads(text) for text in said["CoordinatorStreamStore.all"])
    return _rows((key["namespace"], key["key"]) for key in keys)


def placements(said: Said) -> dict[str, str]:
    """Texts of the container placement answers, by uuid; requests are all done with at the cuts."""
    found = said["ContainerPlacementMetadataStore"]
    assert all(one["request"] is None for one in found.values())
    return {uuid: one["response"] for uuid, one in found.items()}


def _last_checkpoints(said: Said, read_versions: str) -> Said:
    found: Said = said["KafkaCheckpointManager.readLastCheckpoint"][f"read.versions={read_versions}"]
    return {task: last for task, last in found.items() if last is not None}


def _v1_states(last: Said) -> list[Row]:
    changelogs = [one for one in last["offsets"] if one["stream"] == CHANGELOG]
    return [(None, *_partition(one), _none_if_empty(one["offset"].partition(":")[2])) for one in changelogs]


def _v2_states(last: Said) -> list[Row]:
    (stores,) = last["state_checkpoint_markers"].values()
    assert list(stores) == ["counts"]
    marker = json.loads(stores["counts"])
    return [(stores["counts"], *_partition(marker["changelog-ssp"]), marker["changelog-offset"])]


def _checkpoint_id(last: Said) -> str:
    """V1 has no id of its own: it stands in the changelogs' offsets."""
    if last["version"] == 2:
        return str(last["checkpoint_id"])
    (found,) = {one["offset"].partition(":")[0] for one in last["offsets"] if one["stream"] == CHANGELOG}
    return str(found)


def _none_if_empty(offset: str) -> str | None:
    return None if offset == "null" else offset


def _partition(said: Said) -> Row:
    return said["system"], said["stream"], said["partition"]


def _startpoint(said: Said) -> Row:
    value = said.get("specificOffset", said.get("timestampOffset"))
    return KINDS[said["kind"]], None if value is None else str(value), said["creationTimestamp"]


def _rows(rows: Any) -> list[Row]:
    """Sorted as the relations' rows are: by every column, null last."""
    return sorted(
        map(tuple, rows), key=lambda row: [(value is None, value if value is not None else 0) for value in row]
    )
