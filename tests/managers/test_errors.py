"""What can go wrong with a job's stream and its config."""

from copy import copy

import pytest

from eventlog.errors import EventLogError
from managers.errors import ManagerError, MissingSetting, NotReady, SettingChange, WriteOnceChange


@pytest.mark.parametrize(
    "error",
    [
        NotReady("the store", "is not open", "open it"),
        MissingSetting("job.name", "since it is needed"),
        WriteOnceChange([SettingChange("a", "1", None)]),
    ],
)
def test_an_error_keeps_what_it_is_about(error: ManagerError) -> None:
    assert isinstance(error, EventLogError)
    again = copy(error)  # by way of what a pickle holds
    assert (str(again), vars(again)) == (str(error), vars(error))


def test_a_change_is_told_with_both_values() -> None:
    changes = [SettingChange("a", "1", "2"), SettingChange("b", "x", None)]
    assert str(WriteOnceChange(changes)).startswith("this changes a from '1' to '2', b from 'x' to unset, and")
