"""The modes of tasks."""

import pytest

from managers.assignments.task_modes import UnknownTaskMode, read_task_mode


def test_samzas_modes_are_read_in_its_spelling() -> None:
    assert [read_task_mode("t", mode) for mode in ("Active", "Standby")] == ["Active", "Standby"]


def test_another_mode_is_told_with_its_task() -> None:
    sentence = "the mode of task 'Partition 3' is 'standby', which is none of Samza's: write Active or Standby, or"
    with pytest.raises(UnknownTaskMode, match=sentence) as unknown:
        read_task_mode("Partition 3", "standby")
    assert (unknown.value.task_name, unknown.value.task_mode) == ("Partition 3", "standby")
