"""What can go wrong when it is found out where a task starts; each error keeps what it is about as attributes.

OffsetError (a ManagerError)
 ├─ UnknownSystem   a partition's system has nobody who could be asked about it
 ├─ NoMetadata      a system does not know a stream or a partition that is to be read from its default place
 └─ UnusableOffset  a task's checkpoint has an offset that its system can't go on from
"""

from typing import Final

from eventlog.partition import SystemStreamPartition
from managers.errors import ManagerError

_LONGEST_SHOWN: Final = 100


class OffsetError(ManagerError):
    """It could not be found out where a task starts to read."""


class UnknownSystem(OffsetError):
    """A system of the job has no admin."""

    def __init__(self, system: str) -> None:
        self.system = system
        super().__init__(f"nobody was given to ask about system {system}: give its admin in system_admins")


class NoMetadata(OffsetError):
    """A system does not know a stream or a partition of an input; ``partition`` None: not even the stream."""

    def __init__(self, system: str, stream: str, partition: int | None = None) -> None:
        self.system = system
        self.stream = stream
        self.partition = partition
        what = f"stream {stream}" if partition is None else f"partition {partition} of stream {stream}"
        super().__init__(
            f"system {system} knows no {what}, which a task is to read without a checkpoint: "
            "create it, or take it out of the job's inputs"
        )


class UnusableOffset(OffsetError):
    """A checkpoint has an offset after which its system can't tell the next one, such as a text for Kafka.

    ``other_count`` is the number of further partitions of which this is true.
    """

    def __init__(self, task_name: str, partition: SystemStreamPartition, offset: str, other_count: int = 0) -> None:
        self.task_name = task_name
        self.partition = partition
        self.offset = offset
        self.other_count = other_count
        others = f" (and {other_count} more partitions in the same way)" if other_count else ""
        super().__init__(
            f"task {task_name!r} can't start to read {partition}: its checkpoint has the offset {_shown(offset)}, and "
            f"the system knows no offset after it{others}; write another offset (`coordstream checkpoint write`), ask "
            "for a startpoint, or set systems.<system>.streams.<stream>.samza.reset.offset=true to leave the "
            "checkpoint aside"
        )


def _shown(offset: str) -> str:
    return repr(offset if len(offset) <= _LONGEST_SHOWN else f"{offset[:_LONGEST_SHOWN]}…")
