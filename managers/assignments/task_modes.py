"""The modes of tasks as they stand on the log (TaskMode of Samza, seed 001)."""

from managers.errors import ManagerError
from managers.job_models.job_model import ACTIVE, STANDBY, TaskMode


class UnknownTaskMode(ManagerError):
    """A task's mode is none that Samza has."""

    def __init__(self, task_name: str, task_mode: str) -> None:
        self.task_name = task_name
        self.task_mode = task_mode
        super().__init__(
            f"the mode of task {task_name!r} is {task_mode!r}, which is none of Samza's: "
            f"write {ACTIVE} or {STANDBY}, or delete the task's mappings"
        )


def read_task_mode(task_name: str, task_mode: str) -> TaskMode:
    """The mode of that name, in Samza's spelling. Raises `UnknownTaskMode`."""
    for known in (ACTIVE, STANDBY):
        if task_mode == known:
            return known
    raise UnknownTaskMode(task_name, task_mode)
