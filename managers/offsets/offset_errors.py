"""What can go wrong when it is found out where a task starts; each error keeps what it is about as attributes.

OffsetError (a ManagerError)
 ├─ UnknownSystem   a partition's system has nobody who could be asked about it
 └─ NoMetadata      a system does not know a stream or a partition that is to be read from its default place
"""

from managers.errors import ManagerError


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
