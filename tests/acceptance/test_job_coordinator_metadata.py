"""The relation of job coordinator metadata shows what the manager wrote and reads."""

import pytest

from eventlog.log import MemoryEventLog
from eventlog.postgres.connection import Connection
from eventlog.streams import coordinator_stream_name, identify
from managers.job_models.job_coordinator_metadata import (
    NON_YARN,
    YARN,
    JobCoordinatorMetadata,
    JobCoordinatorMetadataManager,
)
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.acceptance.imported_job import ImportedJob, Row
from tests.contracts.event_log import clock

COLUMNS = "cluster_type, epoch_id, config_id, job_model_id"


def row(cluster_type: str, metadata: JobCoordinatorMetadata | None) -> Row:
    assert metadata is not None
    return cluster_type, metadata.epoch_id, metadata.config_id, metadata.job_model_id


@pytest.mark.scenario("JCM-13", "HRD-56")
def test_the_relation_has_what_the_manager_reads_and_no_row_for_what_was_not_new(database: Connection) -> None:
    first = JobCoordinatorMetadata("1606797336059_0010", "0", "-714287258")
    second = JobCoordinatorMetadata("1606797336059_0011", "1495615516", "-714287258")
    log = MemoryEventLog(identify(coordinator_stream_name("attempts")), clock=clock)
    with CoordinatorStreamStore(log) as store:
        yarn = JobCoordinatorMetadataManager(store, clock=clock)
        other = JobCoordinatorMetadataManager(store, NON_YARN, clock=clock)
        for written in (first, first, second, second):
            yarn.write_job_coordinator_metadata(written)
        other.write_job_coordinator_metadata(first)
        read = [
            row(NON_YARN, other.read_job_coordinator_metadata()),
            row(YARN, yarn.read_job_coordinator_metadata()),
        ]
    job = ImportedJob(database, "attempts")
    job.import_recorded(log.stream_name, list(log.read(0)))
    assert job.rows("job_coordinator_metadata", COLUMNS) == read == [row(NON_YARN, first), row(YARN, second)]
    history = job.rows("job_coordinator_metadata_history", f"log_offset, {COLUMNS}")
    assert history == [(0, *row(YARN, first)), (1, *row(YARN, second)), (2, *row(NON_YARN, first))]
