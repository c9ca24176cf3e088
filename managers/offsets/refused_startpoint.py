"""A startpoint that a task was handed and could not follow."""

from typing import NamedTuple

from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import Startpoint


class RefusedStartpoint(NamedTuple):
    """The task goes on without it, from its checkpoint or its default; ``reason`` says why, in words."""

    task_name: str
    partition: SystemStreamPartition
    startpoint: Startpoint
    reason: str

    def __str__(self) -> str:
        value = "" if self.startpoint.value is None else f" {self.startpoint.value}"
        return (
            f"task {self.task_name!r} can't start {self.partition} at its startpoint "
            f"({self.startpoint.kind}{value}): {self.reason}"
        )
