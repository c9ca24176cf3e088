"""Checks of the names of tasks that callers pass."""

from collections.abc import Iterable
from typing import Any


def require_task_name(task_name: Any) -> None:
    """Raise TypeError if a task name is not a string."""
    if not isinstance(task_name, str):
        raise TypeError(f"task_name must be a string, not {task_name!r}")


def require_task_names(task_names: Iterable[str]) -> list[str]:
    """The names as a list. Raises TypeError for a single string, and if a name is not a string."""
    if isinstance(task_names, str):  # each letter would be a task
        raise TypeError(f"task_names must be a list of strings, not the string {task_names!r}")
    names = list(task_names)
    for task_name in names:
        require_task_name(task_name)
    return names
