"""state_lag: for how many commits, and for how long, the backup of a store has not changed."""

from typing import Final

import pytest

from eventlog.events import NewEvent
from eventlog.partition import SystemStreamPartition
from eventlog.postgres.connection import Connection
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY, KafkaStateCheckpointMarker
from tests.acceptance.imported_job import ImportedJob, Row
from tests.builders import FIRST_TIME, checkpoint_v1, checkpoint_v2, config_set, tombstone

MINUTE: Final = 60_000
CHANGELOG: Final = SystemStreamPartition("kafka", "counts-changelog", 3)
READ_V2: Final = config_set("task.checkpoint.read.versions", "2,1")
SHOWN: Final = "store_name, factory_name, changelog_offset, commits_since_change, age_seconds, log_offset"
BLOBS: Final = "coordstream.ObjectStoreStateBackendFactory"


def v2(minute: int, offset: str | None = None, **stores: str) -> NewEvent:
    """A commit with the changelog's offset of the store `counts`, and markers of other stores in an object store."""
    kafka = {} if offset is None else {"counts": KafkaStateCheckpointMarker(CHANGELOG, offset).serialise()}
    markers = {name: of for name, of in ((KAFKA_STATE_BACKEND_FACTORY, kafka), (BLOBS, stores)) if of}
    return checkpoint_v2("t", {"kafka.in.0": str(minute)}, markers=markers, at=FIRST_TIME + minute * MINUTE)


def lag(job: ImportedJob) -> list[Row]:
    return job.rows("state_lag", SHOWN)


def test_the_commits_since_the_last_change_are_counted(database: Connection) -> None:
    said = [
        v2(0, "5", sums="a"),
        v2(1, "6", sums="a"),
        v2(2, "7", sums="b"),
        v2(3, "7", sums="b"),
        v2(5, "7", sums="c"),
    ]
    job = ImportedJob(database, "counted", coordinator=[READ_V2], checkpoints=said)
    assert lag(job) == [
        ("counts", KAFKA_STATE_BACKEND_FACTORY, "7", 2, 180, 4),
        ("sums", BLOBS, None, 0, 0, 4),
    ]


def test_a_store_that_never_changed_counts_from_its_first_commit(database: Connection) -> None:
    said = [v2(0), v2(1, "5"), v2(2, "5"), v2(4, "5", added="a")]  # a store is added at last
    job = ImportedJob(database, "first", coordinator=[READ_V2], checkpoints=said)
    assert lag(job) == [("added", BLOBS, None, 0, 0, 3), ("counts", KAFKA_STATE_BACKEND_FACTORY, "5", 2, 180, 3)]


def test_a_deleted_checkpoint_ends_the_count(database: Connection) -> None:
    first = v2(0, "5")
    said = [first, tombstone(first), v2(2, "5"), v2(3, "5")]
    job = ImportedJob(database, "deleted", coordinator=[READ_V2], checkpoints=said)
    assert lag(job) == [("counts", KAFKA_STATE_BACKEND_FACTORY, "5", 1, 60, 3)]


@pytest.mark.parametrize(("last", "count"), [("5", 2), ("null", 0)])
def test_version_1_is_counted_by_its_changelogs(database: Connection, last: str, count: int) -> None:
    offsets = ["5", "5", last]
    said = [
        event
        for minute, offset in enumerate(offsets)
        for event in (
            checkpoint_v1(
                "t",
                {"kafka.in.0": "1", str(CHANGELOG): f"{FIRST_TIME}-{minute}:{offset}"},
                at=FIRST_TIME + minute * MINUTE,
            ),
            v2(minute, str(minute)),  # the other version, which the job does not read
        )
    ]
    config = [config_set("stores.counts.changelog", "kafka.counts-changelog")]
    job = ImportedJob(database, f"version-1-{count}", coordinator=config, checkpoints=said)
    shown = None if last == "null" else last
    assert lag(job) == [("counts", KAFKA_STATE_BACKEND_FACTORY, shown, count, count * 60, 4)]


def test_as_of_an_offset_and_a_time(database: Connection) -> None:
    said = [v2(0, "5"), v2(1, "5"), v2(2, "6"), v2(3, "6"), v2(4, "6")]
    job = ImportedJob(database, "as-of", coordinator=[READ_V2], checkpoints=said)
    of_offset = "state_lag_as_of_offset('as-of', '1', {}, 'checkpoint')"
    found = [
        database.execute(f"select commits_since_change, age_seconds from coordinator.{of_offset.format(at)}").fetchall()
        for at in range(5)
    ]
    assert found == [[(0, 0)], [(1, 60)], [(0, 0)], [(1, 60)], [(2, 120)]]
    assert job.rows_as_of("state_lag", "commits_since_change, changelog_offset", FIRST_TIME + MINUTE) == [(1, "5")]
