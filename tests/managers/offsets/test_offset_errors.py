"""The errors of starting offsets: what they are about, and what to do."""

from copy import copy

import pytest

from managers.errors import ManagerError
from managers.offsets.offset_errors import NoMetadata, OffsetError, UnknownSystem


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (UnknownSystem("hdfs"), "nobody was given to ask about system hdfs: give its admin in system_admins"),
        (NoMetadata("kafka", "in"), "system kafka knows no stream in, which a task is to read without a checkpoint"),
        (NoMetadata("kafka", "in", 3), "system kafka knows no partition 3 of stream in, which a task is to read"),
    ],
)
def test_an_error_says_what_it_is_about_and_keeps_it(error: OffsetError, sentence: str) -> None:
    assert isinstance(error, ManagerError)
    assert str(error).startswith(sentence)
    again = copy(error)
    assert (str(again), vars(again)) == (str(error), vars(error))
