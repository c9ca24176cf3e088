"""Recording A at its end and at each cut: the relations say what Samza's own readers said of the same prefix."""

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from coordstream.postgres import EmbeddedPostgres
from eventlog.postgres.connection import Connection, connect
from tests.builders import config_set, recorded
from tests.fixtures.acceptance import samza_answers as samza
from tests.fixtures.acceptance.imported_job import ImportedJob, Row
from tests.fixtures.postgres import CloneSeries
from tests.oracle_history import HISTORY_ROWS, history_rows

CUTS: Final = ("1", "2", "3", "4", "end")
READ_VERSIONS: Final = ("1", "2", "1,2", "2,1")

CHECKPOINT: Final = "task_name, system_name, stream_name, partition_id, input_offset, checkpoint_version, checkpoint_id"
STATE: Final = (
    "task_name, store_name, factory_name, marker, changelog_system, changelog_stream, changelog_partition,"
    " changelog_offset, checkpoint_id, checkpoint_version"
)
STARTPOINT: Final = (
    "system_name, stream_name, partition_id, task_name, startpoint_type, startpoint_value,"
    " (extract(epoch from created_at) * 1000)::bigint"
)
RELATIONS: Final[dict[str, tuple[str, Callable[[samza.Said], list[Row]]]]] = {
    "config": ("config_key, config_value", samza.config),
    "changelog_mapping": ("task_name, changelog_partition", samza.changelog_mapping),
    "container_host": ("container_id, host_name, jmx_url, jmx_tunneling_url", samza.container_host),
    "container_execution": ("container_id, execution_container_id", samza.container_execution),
    "task_container": ("task_name, container_id", samza.task_container),
    "task_mode": ("task_name, task_mode", samza.task_mode),
    "job_coordinator_metadata": ("cluster_type, epoch_id, config_id, job_model_id", samza.job_coordinator_metadata),
    "task_partition": ("system_name, stream_name, partition_id, key_bucket, task_name", samza.task_partition),
    "startpoint": (STARTPOINT, samza.startpoint),
    "startpoint_fan_out": ("task_name, system_name, stream_name, partition_id", samza.startpoint_fan_out),
    "checkpoint": (CHECKPOINT, lambda said: samza.checkpoint(said, samza.configured_read_versions(said))),
    "state_checkpoint": (STATE, lambda said: samza.state_checkpoint(said, samza.configured_read_versions(said))),
}
"""Each relation with its own columns, and what Samza said."""


OF_THE_CHECKPOINT_TOPIC: Final = ("checkpoint", "state_checkpoint")


@pytest.fixture(scope="module")
def whole(database: Connection) -> ImportedJob:
    """The job, its recording imported to the end."""
    return _import(database, 427, 388)


@pytest.fixture(scope="module", params=CUTS)
def prefix(
    request: pytest.FixtureRequest, postgres_server: EmbeddedPostgres, template_database: str
) -> Iterator[tuple[ImportedJob, samza.Said]]:
    """The job, imported into a database of its own just to the cut, and what Samza said there."""
    said = samza.answers(request.param)
    with CloneSeries(postgres_server, template_database) as series, connect(series.next_url()) as connection:
        yield _import(connection, *_ends(said)), said


def _ends(said: samza.Said) -> tuple[int, int]:
    return said["coordinator_end_offset"], said["checkpoint_end_offset"]


def _import(connection: Connection, coordinator_end: int, checkpoint_end: int) -> ImportedJob:
    job = ImportedJob(connection, "wordcount_pv")
    coordinator, checkpoints = samza.recorded_stream("coordinator"), samza.recorded_stream("checkpoint")
    job.import_recorded(job.coordinator_stream, coordinator[:coordinator_end])
    job.import_recorded(job.checkpoint_stream, checkpoints[:checkpoint_end])
    return job


@pytest.mark.parametrize("relation", RELATIONS)
def test_an_imported_prefix(prefix: tuple[ImportedJob, samza.Said], relation: str) -> None:
    job, said = prefix
    columns, expected = RELATIONS[relation]
    assert job.rows(relation, columns) == expected(said)


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("cut", CUTS)
def test_as_of_the_offset_and_the_time_of_a_cut(whole: ImportedJob, cut: str, relation: str) -> None:
    said = samza.answers(cut)
    columns, expected = RELATIONS[relation]
    end = _ends(said)[relation in OF_THE_CHECKPOINT_TOPIC]
    assert whole.rows_as_of_offset(relation, columns, end - 1) == expected(said)
    assert whole.rows_as_of(relation, columns, said["read_at_ms"]) == expected(said)


@pytest.mark.parametrize("history", HISTORY_ROWS)
def test_a_history_shows_its_events(whole: ImportedJob, history: str) -> None:
    rows = whole.rows(history, f"{HISTORY_ROWS[history]}, log_offset")
    plain = history_rows(samza.recorded_stream("coordinator"))[history]
    assert sorted(rows, key=repr) == sorted(plain, key=repr)


def test_each_run_has_a_deployment_of_the_runner_and_one_of_the_coordinator(whole: ImportedJob) -> None:
    columns = "run_number, source, first_log_offset, last_log_offset, keys_set, keys_changed, keys_deleted"
    runner, coordinator = "job-runner", "coordinator-stream-writer"
    assert whole.rows("config_deployment", columns) == [
        (1, coordinator, 90, 90, 1, 1, 0),
        (1, runner, 0, 46, 47, 47, 0),
        (2, coordinator, 214, 214, 1, 1, 0),
        (2, runner, 113, 160, 46, 6, 2),
        (3, coordinator, 322, 322, 1, 1, 0),
        (3, runner, 243, 288, 46, 3, 0),
        (4, coordinator, 420, 420, 1, 1, 0),
        (4, runner, 329, 378, 48, 9, 2),
    ]


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("read_versions", READ_VERSIONS)
def test_each_setting_of_the_versions_to_read(cut: str, read_versions: str, connected: Connection) -> None:
    said = samza.answers(cut)
    coordinator_end, _ = _ends(said)
    job = _import(connected, *_ends(said))
    setting = config_set("task.checkpoint.read.versions", read_versions, at=said["read_at_ms"])
    job.import_recorded(
        job.coordinator_stream,
        [*samza.recorded_stream("coordinator")[:coordinator_end], *recorded([setting], first=coordinator_end)],
    )
    assert job.rows("checkpoint", CHECKPOINT) == samza.checkpoint(said, read_versions)
    assert job.rows("state_checkpoint", STATE) == samza.state_checkpoint(said, read_versions)


def test_every_live_key_and_no_other(prefix: tuple[ImportedJob, samza.Said]) -> None:
    job, said = prefix
    last = (
        "(select distinct on (job_name, message_type, message_key) * from coordinator.event"
        " where stream_kind = 'coordinator' order by job_name, message_type, message_key, log_offset desc) e"
    )
    query = f"select message_type, message_key from {last} where operation = 'set' and job_name = 'wordcount_pv'"
    assert set(job.connection.execute(query.encode())) == set(samza.live_keys(said))


def test_container_placement_messages(prefix: tuple[ImportedJob, samza.Said]) -> None:
    job, said = prefix
    rows = job.rows("other_message", "message_key, message_value", "message_type = 'samza-place-container-v1'")
    answers = {key.removesuffix(".ContainerPlacementResponseMessage"): _as_java(value) for key, value in rows}
    assert answers == samza.placements(said)
    assert said["drain_namespace"] == {}
    assert job.rows("other_message", "message_key", "message_type = 'samza-drain-v1'") == []


def _as_java(text: str) -> str:
    """A placement answer as its Java class prints it."""
    fields: dict[str, Any] = json.loads(text)
    return (
        f"ContainerPlacementResponseMessage{{ UUID: {fields['uuid']}, Processor ID: {fields['processorId']},"
        f" deploymentId='{fields['deploymentId']}', destinationHost='{fields['destinationHost']}',"
        f" requestExpiry={fields.get('requestExpiry') or 'null'}, statusCode={fields['statusCode']},"
        f" timestamp={fields['timestamp']}, responseMessage='{fields['responseMessage']}'}}"
    )


def test_nothing_of_a_real_job_is_in_quarantine(prefix: tuple[ImportedJob, samza.Said]) -> None:
    job, said = prefix
    assert job.quarantine() == []
    assert (job.next_offset("coordinator"), job.next_offset("checkpoint")) == _ends(said)


FAN_OUT: Final = "task_name, system_name, stream_name, partition_id, startpoint_type, startpoint_value"


def test_starting_offsets_before_run_2_are_what_run_2_fanned_out(whole: ImportedJob) -> None:
    at = samza.answers("2")["read_at_ms"]
    decided = f"{FAN_OUT}, starting_offset, decided_by"
    rows = whole.rows_as_of("starting_offset", decided, at)
    assert len(rows) == 16
    fanned_out = whole.rows_as_of_offset("startpoint_fan_out", FAN_OUT, 194)
    assert [row[:6] for row in rows if row[-1] == "startpoint"] == fanned_out
    assert [row for row in rows if row[-1] != "startpoint"] == [
        ("Partition 7", "kafka", "page-views", 7, None, None, "20", "checkpoint")
    ]


def test_at_the_end_only_the_configured_input_counts(whole: ImportedJob) -> None:
    at = samza.answers("end")["read_at_ms"]
    rows = whole.rows_as_of("starting_offset", "system_name, stream_name, partition_id, decided_by", at)
    assert [row[:3] for row in rows] == [("kafka", "page-views", partition) for partition in range(16)]
    assert [row[2] for row in rows if row[3] == "startpoint"] == [9, 12]
    assert ("kafka", "rules", 0) in whole.rows("task_partition", "system_name, stream_name, partition_id")
