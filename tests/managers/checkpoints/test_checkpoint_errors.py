"""Errors of checkpoints: their sentences and attributes."""

from datetime import UTC, datetime

import pytest

from eventlog.checkpoint import CheckpointV1
from eventlog.errors import WireError
from eventlog.partition import SystemStreamPartition
from eventlog.source import SourceUnavailable
from managers.checkpoints.checkpoint_errors import (
    CheckpointError,
    CheckpointFileError,
    CheckpointNotWritten,
    CheckpointUnreadable,
    GrouperMismatch,
    JobAlive,
    OffsetMissing,
    TaskNotRegistered,
    UnknownTask,
)
from managers.errors import ManagerError

SSP = SystemStreamPartition("k", "s", 3)
AT = datetime(2026, 3, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (TaskNotRegistered("t"), "Task 't' is not registered with this checkpoint manager. Register it first."),
        (
            CheckpointUnreadable("s", 7, WireError("empty", "it is empty")),
            "Cannot read the checkpoint at offset 7 of s: empty: it is empty. Write",
        ),
        (
            GrouperMismatch("s", 7, "a.A", "b.B"),
            "The checkpoint at offset 7 of s has grouper b.B, but the job is configured with a.A.",
        ),
        (OffsetMissing("t", SSP), "The V2 checkpoint of task 't' has no offset for k.s.3"),
        (CheckpointFileError("f", 3, "it is odd"), "f, line 3: it is odd. Nothing was written. Correct the line."),
        (
            JobAlive(AT, 12.4, 180),
            "The job appears to be running: its last checkpoint was written 12 s ago, less than 180 s.",
        ),
        (JobAlive(AT, -5, 180), "The job appears to be running: its last checkpoint was written 0 s ago"),
        (
            JobAlive(AT, -86_400, 180),
            "The job appears to be running: its last checkpoint was written 86400 s ahead of this computer's clock. A",
        ),
    ],
)
def test_an_error_has_a_sentence(error: CheckpointError, sentence: str) -> None:
    assert str(error).startswith(sentence)
    assert isinstance(error, ManagerError)


def test_only_some_known_tasks_are_listed() -> None:
    many = UnknownTask("x", [f"t{number:02}" for number in range(20)])
    assert str(many).endswith("t08, t09 and more.")
    assert len(many.known) == 20


def test_the_message_of_another_error_is_not_repeated() -> None:
    error = CheckpointNotWritten("s", "t", CheckpointV1({}), 3, SourceUnavailable("it is unavailable"))
    assert "after 3 tries (it is unavailable). " in str(error)
    assert "(OSError). " in str(CheckpointNotWritten("s", "t", CheckpointV1({}), 3, OSError("password is hunter2")))
