"""Errors of managers: their sentences and attributes."""

from copy import copy

import pytest

from eventlog.errors import EventLogError
from managers.config.config_changes import ConfigChange
from managers.errors import ManagerError, MissingSetting, NotReady, SettingChange, WriteOnceChange


@pytest.mark.parametrize(
    "error",
    [
        NotReady("the store", "is not open", "open it"),
        MissingSetting("job.name", "which is required"),
        WriteOnceChange([SettingChange("a", "1", None)]),
    ],
)
def test_an_error_keeps_its_attributes(error: ManagerError) -> None:
    assert isinstance(error, EventLogError)
    again = copy(error)  # uses what a pickle holds
    assert (str(again), vars(again)) == (str(error), vars(error))


def test_a_change_is_shown_with_both_values() -> None:
    changes = [SettingChange("a", "1", "2"), SettingChange("b", "x", None)]
    assert str(WriteOnceChange(changes)).startswith("This changes a from '1' to '2', b from 'x' to unset, which")


@pytest.mark.parametrize("change", [SettingChange("a", "1", "2"), ConfigChange(7, "a", "1", "2")])
def test_the_old_names_of_values_are_deprecated(change: SettingChange | ConfigChange) -> None:
    assert (change.previous_value, change.config_value) == ("1", "2")
    with pytest.warns(DeprecationWarning, match="use previous_value"):
        assert change.old_value == "1"
    with pytest.warns(DeprecationWarning, match="use config_value"):
        assert change.new_value == "2"
