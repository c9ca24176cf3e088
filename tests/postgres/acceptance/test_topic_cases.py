"""Small real topics, through the import into the relations: the answer is Samza's, or ours where Samza loses something.

Where "ours" differs is said beside each id: Samza's reader raises there, or forgets what it read before.
"""

from typing import Any, Final

import pytest

from eventlog.events import NewEvent, RecordedEvent
from eventlog.partition import SystemStreamPartition
from eventlog.postgres.connection import Connection
from tests.builders import FIRST_TIME, config_set, recorded
from tests.fixtures.acceptance.imported_job import ImportedJob
from tests.vectors.building import partition_of
from tests.vectors.catalogue import decoded, vectors

Vector = dict[str, Any]
Checkpoint = dict[str, Any] | None

DEFAULT: Final = "(default)"
READ_VERSIONS: Final = (DEFAULT, "1", "2", "1,2", "2,1")
DEPLOYED: Final = FIRST_TIME - 3_600_000
IN_0: Final = SystemStreamPartition("kafka", "in", 0)


def _events(records: list[Vector]) -> list[RecordedEvent]:
    return recorded(map(_event, records))


def _event(record: Vector) -> NewEvent:
    return NewEvent(decoded(record["key_b64"]), decoded(record["value_b64"]), record.get("timestamp"))


def _checkpoint_cases() -> list[Any]:
    return [
        pytest.param(vector, versions, id=f"{vector['id'].rpartition('_')[2]} versions {versions}")
        for vector in vectors("checkpoint_topic_case")
        for versions in READ_VERSIONS
    ]


CHECKPOINT_QUARANTINE: Final[dict[str, list[tuple[int, str, bool]]]] = {
    "checkpoint_topic_case-13": [(1, "not_json", False)],
    "checkpoint_topic_case-17": [(1, "not_json", False)],
    "checkpoint_topic_case-19": [(1, "null_key", False)],
}
"""What Samza cannot read on the topic."""


@pytest.mark.parametrize(("vector", "versions"), _checkpoint_cases())
def test_checkpoint_topic_case(database: Connection, vector: Vector, versions: str) -> None:
    job = _job_reading(database, f"{vector['id']}-{versions}", versions)
    job.import_recorded(job.checkpoint_stream, _events(vector["records"]))
    said = _ours(vector["id"], versions) or _samza_said(vector, versions)
    for task in vector["tasks"]:
        assert _checkpoint(job, task) == said[task]
    assert job.quarantine() == CHECKPOINT_QUARANTINE.get(vector["id"], [])
    end = len(vector["records"])
    assert job.next_offset("checkpoint") == end
    every = "task_name, system_name, stream_name, partition_id, input_offset, checkpoint_version, log_offset"
    assert job.rows_as_of_offset("checkpoint", every, end - 1) == job.rows("checkpoint", every)


def _job_reading(database: Connection, name: str, versions: str) -> ImportedJob:
    name = name.replace("_", "-").replace("(", "").replace(")", "")
    key = "task.checkpoint.read.versions"
    config = [config_set(key, versions, at=DEPLOYED)] if versions != DEFAULT else []
    return ImportedJob(database, name, coordinator=[config_set("task.class", at=DEPLOYED), *config])


def _samza_said(vector: Vector, versions: str) -> dict[str, Checkpoint]:
    said = vector["samza_readLastCheckpoint"][f"read.versions={versions} validation=false"]
    assert "samza_error" not in said, "our answer must be asserted"
    return {task: _expected(one) for task, one in said.items()}


def _expected(said: Vector | None) -> Checkpoint:
    if said is None:
        return None
    assert not said.get("markers")
    offsets = {partition_of(one): one["offset"] for one in said["offsets"]}
    return {"version": said["version"], "id": said.get("checkpoint_id"), "offsets": offsets}


def _checkpoint(job: ImportedJob, task: str) -> Checkpoint:
    rows = job.rows(
        "checkpoint",
        "system_name, stream_name, partition_id, key_bucket, input_offset, checkpoint_version, checkpoint_id",
        f"task_name = '{task}'",
    )
    if not rows:
        return None
    ((version, checkpoint_id),) = {row[5:] for row in rows}
    offsets = {SystemStreamPartition(*row[:4]): row[4] for row in rows}
    return {"version": version, "id": checkpoint_id, "offsets": offsets}


def _ours(vector_id: str, versions: str) -> dict[str, Checkpoint] | None:
    v1 = {"version": 1, "id": None, "offsets": {IN_0: "1"}}
    dotted = {"version": 2, "id": "1-2", "offsets": {SystemStreamPartition("kafka", "a.b", 0): "4"}}
    reads_v1, reads_v2 = versions != "2", "2" in versions
    match vector_id:
        case "checkpoint_topic_case-13":  # the last readable one stays; Samza forgets it
            return {"t": v1 if reads_v1 else None}
        case "checkpoint_topic_case-14":  # a dotted stream is read rightly
            return {"t": dotted if reads_v2 else None}
        case "checkpoint_topic_case-16":  # rows of the configured grouper are current
            return {"t": v1 if reads_v1 else None}
        case "checkpoint_topic_case-19":  # the bad record is in quarantine, the others land
            return {"t": v1 if reads_v1 else None}
    return None


COORDINATOR_OURS: Final[dict[str, dict[str, str]]] = {
    "coordinator_topic_case-10": {"b": "1"},  # Samza's readers raise on the key
    "coordinator_topic_case-11": {"c": "1"},  # and on the value
    "coordinator_topic_case-13": {"c": "1"},
}
COORDINATOR_QUARANTINE: Final[dict[str, list[tuple[int, str, bool]]]] = {
    "coordinator_topic_case-10": [(0, "not_json", False)],
    "coordinator_topic_case-11": [(0, "not_json", False)],
    "coordinator_topic_case-13": [(0, "wrong_type", False)],
    "coordinator_topic_case-17": [(0, "wrong_type", False)],
}


@pytest.mark.parametrize("vector", vectors("coordinator_topic_case"), ids=lambda vector: vector["id"])
def test_coordinator_topic_case(database: Connection, vector: Vector) -> None:
    job = ImportedJob(database, vector["id"].replace("_", "-"), coordinator=[])
    job.import_recorded(job.coordinator_stream, _events(vector["records"]))
    samza = vector["samza"]
    said = COORDINATOR_OURS.get(vector["id"]) or samza["readConfigFromCoordinatorStream"]
    assert job.config() == said
    mapping: dict[str, int] = dict(job.rows("changelog_mapping", "task_name, changelog_partition"))
    assert mapping == samza.get("readPartitionMapping", {})
    assert job.quarantine() == COORDINATOR_QUARANTINE.get(vector["id"], [])
    assert job.next_offset("coordinator") == len(vector["records"])


@pytest.mark.parametrize("vector", vectors("legacy_stream_case"), ids=lambda vector: vector["id"])
def test_legacy_stream_case(database: Connection, vector: Vector) -> None:
    job = ImportedJob(database, vector["id"].replace("_", "-"))
    job.import_recorded(job.coordinator_stream, _events(vector["records"]))  # of no time: builders give one
    said = vector["with_SAMZA_699_fix"]
    assert job.config() == said["CoordinatorStreamSystemConsumer.getConfig"]
    for task, offsets in said["CheckpointManager.readLastCheckpoint"].items():
        assert _set_checkpoint(job, task) == _legacy_expected(offsets)
    mapping = said["ChangelogPartitionManager.readChangeLogPartitionMapping"]
    expected = {} if "samza_error" in mapping else mapping
    assert dict(job.rows("changelog_mapping", "task_name, changelog_partition")) == expected
    is_malformed = vector["id"] == "legacy_stream_case-14"
    assert job.quarantine() == ([(1, "bad_partition", False)] if is_malformed else [])


def _legacy_expected(offsets: Any) -> dict[SystemStreamPartition, str | None] | None:
    """Samza raises on a deleted checkpoint and on a malformed one: ours is none, and quarantine for the second."""
    if offsets is None or "samza_error" in offsets:
        return None
    return {partition_of(one): one["offset"] for one in offsets}


def _set_checkpoint(job: ImportedJob, task: str) -> dict[SystemStreamPartition, str | None] | None:
    """The task's offsets, ``{}`` for a checkpoint without any (which is a commit but no row of ``checkpoint``)."""
    where = f"task_name = '{task}'"
    columns = "system_name, stream_name, partition_id, key_bucket, input_offset, checkpoint_version, origin"
    rows = job.rows("checkpoint", columns, where)
    assert {row[5:] for row in rows} <= {(0, "coordinator-stream")}
    if rows:
        return {SystemStreamPartition(*row[:4]): row[4] for row in rows}
    steps = job.rows("checkpoint_history", "log_offset, operation, system_name", where)
    return {} if steps and steps[-1][1:] == ("set", None) else None
