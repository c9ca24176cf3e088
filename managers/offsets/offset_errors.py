"""Errors of offsets. Each keeps the things it names as attributes.

OffsetError (a ManagerError)
 ├─ UnknownSystem   a system of the job has no admin
 ├─ NoMetadata      a system does not know a stream or a partition that starts at its default offset
 └─ UnusableOffset  a system does not know an offset after that of a checkpoint
"""

from typing import Final

from eventlog.partition import SystemStreamPartition
from managers.errors import ManagerError

_MAX_SHOWN: Final = 100


class OffsetError(ManagerError):
    """The starting offset of a task is unknown."""


class UnknownSystem(OffsetError):
    """A system of the job has no admin."""

    def __init__(self, system: str) -> None:
        self.system = system
        super().__init__(f"System {system} has no admin. Pass one in system_admins.")


class NoMetadata(OffsetError):
    """A system does not know an input's stream (``partition`` None) or partition."""

    def __init__(self, system: str, stream: str, partition: int | None = None) -> None:
        self.system = system
        self.stream = stream
        self.partition = partition
        what = f"stream {stream}" if partition is None else f"partition {partition} of stream {stream}"
        super().__init__(
            f"System {system} does not have {what}, which a task reads without a checkpoint. "
            "Create it, or remove it from the job's inputs."
        )


class UnusableOffset(OffsetError):
    """A system does not know an offset after that of a checkpoint, for example a Kafka offset that is not a number.

    ``other_count`` is the number of other partitions with the same problem.
    """

    def __init__(self, task_name: str, partition: SystemStreamPartition, offset: str, other_count: int = 0) -> None:
        self.task_name = task_name
        self.partition = partition
        self.offset = offset
        self.other_count = other_count
        others = f" ({other_count} other partitions have the same problem)" if other_count else ""
        super().__init__(
            f"Task {task_name!r} cannot start to read {partition}: its checkpoint has offset {_shorten(offset)}, and "
            f"the system does not know the next offset{others}. Write another offset (`coordstream checkpoint write`), "
            "request a startpoint, or set systems.<system>.streams.<stream>.samza.reset.offset=true to ignore the "
            "checkpoint."
        )


def _shorten(offset: str) -> str:
    return repr(offset if len(offset) <= _MAX_SHOWN else f"{offset[:_MAX_SHOWN]}…")
