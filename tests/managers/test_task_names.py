"""Names of tasks that are not strings are refused."""

import pytest

from managers.stored_messages import require_task_name, require_task_names


def test_names_are_returned_as_a_list() -> None:
    assert require_task_names(iter(["Partition 0", "Partition 1"])) == ["Partition 0", "Partition 1"]


def test_a_name_must_be_a_string() -> None:
    with pytest.raises(TypeError, match="task_name must be a string, not 0"):
        require_task_name(0)


def test_a_single_string_is_not_a_list_of_names() -> None:
    with pytest.raises(TypeError, match="task_names must be a list of strings, not the string 'Partition 0'"):
        require_task_names("Partition 0")
