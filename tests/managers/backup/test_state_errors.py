"""Errors of local state: their sentences and attributes."""

from copy import copy
from pathlib import Path

import pytest

from managers.backup.state_errors import InvalidMarker, StateError, StoreUnreadable
from managers.errors import ManagerError


@pytest.mark.parametrize(
    "error", [InvalidMarker("Partition 0", "store", "it is empty"), StoreUnreadable(Path("/store/a"), "is incomplete")]
)
def test_an_error_keeps_its_attributes(error: StateError) -> None:
    assert isinstance(error, ManagerError)
    again = copy(error)  # uses what a pickle holds
    assert (str(again), vars(again)) == (str(error), vars(error))


def test_an_invalid_marker_names_task_and_store() -> None:
    error = InvalidMarker("Partition 0", "store", "a state marker is of another version than 1")
    assert str(error).startswith("The state checkpoint marker of store 'store' of task 'Partition 0' is invalid: a ")
