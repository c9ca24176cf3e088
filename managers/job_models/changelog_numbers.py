"""Which partition of the changelogs each task writes its state to (JobModelManager of Samza; SAMZA-1012)."""

from collections.abc import Iterable, Mapping

from managers.job_models.java_text import text_order


def changelog_numbers(task_names: Iterable[str], previous: Mapping[str, int]) -> dict[str, int]:
    """The number of each task: its previous one, else the next after the greatest that any task ever had.

    New tasks are numbered in the order of their names as texts (``Partition 10`` before ``Partition 2``), from 0 where
    there is no previous number. A number is never given again, also if its task is gone: its state is still there.
    """
    following = max(previous.values(), default=-1) + 1
    numbers: dict[str, int] = {}
    for task_name in sorted(set(task_names), key=text_order):
        known = previous.get(task_name)
        numbers[task_name] = following if known is None else known
        following += known is None
    return numbers
