"""The errors of starting offsets: what they are about, and what to do."""

from copy import copy

import pytest

from eventlog.partition import SystemStreamPartition
from managers.errors import ManagerError
from managers.offsets.offset_errors import NoMetadata, OffsetError, UnknownSystem, UnusableOffset

SSP = SystemStreamPartition("k", "s", 3)
UNUSABLE = (
    "task 't' can't start to read k.s.3: its checkpoint has the offset 'abc', and the system knows no offset after it; "
    "write another offset (`coordstream checkpoint write`), ask for a startpoint, or set "
    "systems.<system>.streams.<stream>.samza.reset.offset=true to leave the checkpoint aside"
)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (UnknownSystem("hdfs"), "nobody was given to ask about system hdfs: give its admin in system_admins"),
        (NoMetadata("kafka", "in"), "system kafka knows no stream in, which a task is to read without a checkpoint"),
        (NoMetadata("kafka", "in", 3), "system kafka knows no partition 3 of stream in, which a task is to read"),
        (UnusableOffset("t", SSP, "abc"), UNUSABLE),
        (
            UnusableOffset("t", SSP, "x" * 200, 2),
            f"task 't' can't start to read k.s.3: its checkpoint has the offset '{'x' * 100}…', and the system knows",
        ),
    ],
)
def test_an_error_says_what_it_is_about_and_keeps_it(error: OffsetError, sentence: str) -> None:
    assert isinstance(error, ManagerError)
    assert str(error).startswith(sentence)
    again = copy(error)
    assert (str(again), vars(again)) == (str(error), vars(error))


def test_an_error_counts_what_else_is_wrong() -> None:
    assert "after it (and 2 more partitions in the same way); write" in str(UnusableOffset("t", SSP, "abc", 2))
