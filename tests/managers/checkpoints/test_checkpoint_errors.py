"""The errors of checkpoints: what they are about, and what to do."""

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
        (TaskNotRegistered("t"), "task 't' is not registered with this checkpoint manager: register it first"),
        (CheckpointUnreadable("s", 7, WireError("empty", "it is empty")), "offset 7 of s holds no checkpoint that can"),
        (
            GrouperMismatch("s", 7, "a.A", "b.B"),
            "offset 7 of s is a checkpoint of grouper b.B, and the job is",
        ),
        (OffsetMissing("t", SSP), "the V2 checkpoint of task 't' has no offset for k.s.3"),
        (CheckpointFileError("f", 3, "it is odd"), "f, line 3: it is odd; nothing was written: correct the line"),
        (
            JobAlive(AT, 12.4, 180),
            "the job looks alive: a checkpoint was written 12 s ago, and only after 180 s",
        ),
        (JobAlive(AT, -5, 180), "the job looks alive: a checkpoint was written 0 s ago"),
    ],
)
def test_an_error_is_a_sentence_that_says_what_to_do(error: CheckpointError, sentence: str) -> None:
    assert str(error).startswith(sentence)
    assert isinstance(error, ManagerError)


def test_known_tasks_are_listed_as_far_as_one_reads_them() -> None:
    many = UnknownTask("x", [f"t{number:02}" for number in range(20)])
    assert str(many).endswith("t08, t09 and more.")
    assert len(many.known) == 20


def test_what_a_driver_says_is_not_repeated() -> None:
    told = CheckpointNotWritten("s", "t", CheckpointV1({}), 3, SourceUnavailable("nobody answers"))
    assert "after 3 tries (nobody answers): " in str(told)
    assert "(OSError): " in str(CheckpointNotWritten("s", "t", CheckpointV1({}), 3, OSError("password is hunter2")))
