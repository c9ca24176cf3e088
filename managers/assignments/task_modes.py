"""The modes of tasks as they stand on the log (TaskMode of Samza, seed 001)."""

from typing import get_args

from managers.errors import ManagerError
from managers.job_models.job_model import TaskMode


class UnknownTaskMode(ManagerError):
    """A task's mode is none that Samza has."""

    def __init__(self, task_name: str, task_mode: str) -> None:
        self.task_name = task_name
        self.task_mode = task_mode
        super().__init__(
            f"the mode of task {task_name!r} is {task_mode!r}, which is none of Samza's: "
            f"write {' or '.join(get_args(TaskMode))}, or delete the task's mappings"
        )


def read_task_mode(task_name: str, task_mode: str) -> TaskMode:
    """The mode of that name, in Samza's spelling. Raises `UnknownTaskMode`."""
    for known in get_args(TaskMode):
        if task_mode == known:
            return known  # type: ignore[no-any-return]
    raise UnknownTaskMode(task_name, task_mode)
