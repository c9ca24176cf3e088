"""Errors of startpoints. Each keeps the things it names as attributes.

StartpointError (a ManagerError)
 ├─ InvalidStartpointRequest  no task would follow the request
 ├─ StartpointNotWritten      the log did not accept a request or a deletion
 ├─ StartpointUnreadable      a request or a fan-out on the log cannot be decoded
 └─ StartpointsChanged        another writer has changed the startpoints
"""

from eventlog.errors import WireError
from eventlog.partition import SystemStreamPartition
from managers.errors import ManagerError


class StartpointError(ManagerError):
    """A startpoint could not be read or written."""


class InvalidStartpointRequest(StartpointError):
    """The job does not read the stream or partition, or does not have the task. Nothing was written."""


class StartpointUnreadable(StartpointError):
    """The value of a request or a fan-out cannot be decoded; other keys are not affected.

    ``startpoint_type`` is the ``@type`` in the value, None if it has none.
    """

    def __init__(self, namespace: str, key: str, startpoint_type: str | None, error: WireError) -> None:
        self.namespace = namespace
        self.key = key
        self.startpoint_type = startpoint_type
        self.reason = error.reason
        kind = "no @type" if startpoint_type is None else f"@type {startpoint_type}"
        super().__init__(
            f"Cannot read the value of {key!r} in {namespace}, with {kind}: {error}. "
            "Write the startpoint again, or delete it."
        )


class StartpointNotWritten(StartpointError):
    """A request was not written or deleted; ``task_name`` None: it is for every task. The cause says why."""

    def __init__(self, partition: SystemStreamPartition, task_name: str | None, cause: BaseException) -> None:
        self.partition = partition
        self.task_name = task_name
        task = "every task" if task_name is None else f"task {task_name!r}"
        super().__init__(f"Cannot confirm that the startpoint of {partition} for {task} was written: {cause}")


class StartpointsChanged(StartpointError):
    """Another writer has changed startpoints since they were read. ``is_written``: ours were written after that."""

    def __init__(self, what: str, log_offset: int, *, is_written: bool) -> None:
        self.log_offset = log_offset
        self.is_written = is_written
        then = "The new startpoints were written after that." if is_written else "Nothing was written."
        super().__init__(f"Another writer changed {what} at offset {log_offset}. {then}")
