"""Errors of local state: their sentences and attributes."""

from copy import copy
from pathlib import Path

import pytest

from eventlog.checkpoint import CheckpointId
from managers.errors import ManagerError
from managers.state.state_errors import (
    CommitFailed,
    CommitTimedOut,
    InvalidMarker,
    MarkersNotRead,
    MissingPackage,
    SnapshotDamaged,
    StateError,
    StoreNotBackedUp,
    StoreNotRestored,
    StoreUnreadable,
    StoreWithoutBackend,
    UnknownStateBackend,
)

ID = CheckpointId(7, 12)


@pytest.mark.parametrize(
    "error",
    [
        CommitFailed("Partition 0", ID, "upload", TimeoutError(), store_name="counts", factory="F"),
        CommitTimedOut("Partition 0", ID, "upload", 7),
        InvalidMarker("Partition 0", "store", "it is empty"),
        MarkersNotRead("Partition 0", "store", "F"),
        MissingPackage("A RocksDB store", "rocksdict"),
        SnapshotDamaged("Partition 0", "store", "orders/1/object", "is missing"),
        StoreNotBackedUp("Partition 0", "store", OSError("The disk is full")),
        StoreNotRestored("Partition 0", "store", "F", OSError("The disk is full")),
        StoreUnreadable(Path("/store/a"), "is incomplete"),
        StoreWithoutBackend("Partition 0", "store"),
        UnknownStateBackend("Partition 0", "store", "F", {"G": 1}),
    ],
)
def test_an_error_keeps_its_attributes(error: StateError) -> None:
    assert isinstance(error, ManagerError)
    again = copy(error)  # uses what a pickle holds
    assert (str(again), vars(again)) == (str(error), vars(error))


def test_an_invalid_marker_names_task_and_store() -> None:
    error = InvalidMarker("Partition 0", "store", "a state marker is of another version than 1")
    assert str(error).startswith("The state checkpoint marker of store 'store' of task 'Partition 0' is invalid: a ")


def test_a_failed_commit_says_what_of_it_is_durable() -> None:
    failed = CommitFailed("Partition 0", ID, "upload", TimeoutError(), store_name="counts", factory="F")
    assert str(failed) == (
        "Commit 7-12 of task 'Partition 0' failed in step 'upload', store 'counts', state backend F: TimeoutError. "
        "The task's last checkpoint is unchanged; commit again."
    )
    unknown = CommitFailed("Partition 0", ID, "checkpoint", OSError("The broker is gone"))
    assert str(unknown).endswith("The broker is gone. Its checkpoint may be written; commit again.")
    assert not unknown.is_checkpoint_written
