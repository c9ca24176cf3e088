"""Errors of offsets: their sentences and attributes."""

from copy import copy

import pytest

from eventlog.partition import SystemStreamPartition
from managers.errors import ManagerError
from managers.offsets.resolved_starts import NoMetadata, OffsetError, UnknownSystem, UnusableOffset

SSP = SystemStreamPartition("k", "s", 3)
UNUSABLE = (
    "Task 't' cannot start to read k.s.3: its checkpoint has offset 'abc', and the system does not know the next "
    "offset. Write another offset (`coordstream checkpoint write`), request a startpoint, or set "
    "systems.<system>.streams.<stream>.samza.reset.offset=true to ignore the checkpoint."
)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (UnknownSystem("hdfs"), "System hdfs has no admin. Pass one in system_admins."),
        (NoMetadata("kafka", "in"), "System kafka does not have stream in, which a task reads without a checkpoint."),
        (NoMetadata("kafka", "in", 3), "System kafka does not have partition 3 of stream in, which a task reads"),
        (UnusableOffset("t", SSP, "abc"), UNUSABLE),
        (
            UnusableOffset("t", SSP, "x" * 200, 2),
            f"Task 't' cannot start to read k.s.3: its checkpoint has offset '{'x' * 100}…', and the system does not",
        ),
    ],
)
def test_an_error_has_a_sentence_and_keeps_its_attributes(error: OffsetError, sentence: str) -> None:
    assert isinstance(error, ManagerError)
    assert str(error).startswith(sentence)
    again = copy(error)
    assert (str(again), vars(again)) == (str(error), vars(error))


def test_an_error_counts_other_partitions() -> None:
    assert "the next offset (2 other partitions have the same problem). Write" in str(
        UnusableOffset("t", SSP, "abc", 2)
    )
