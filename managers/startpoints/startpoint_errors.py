"""What can go wrong with startpoints; each error keeps what it is about as attributes.

StartpointError (a ManagerError)
 ├─ StartpointUnreadable   bytes on the log that can't be understood
 └─ StartpointNotWritten   the log did not take a request, or its end
"""

from eventlog.errors import WireError
from eventlog.partition import SystemStreamPartition
from managers.errors import ManagerError


class StartpointError(ManagerError):
    """A startpoint could not be read or written."""


class StartpointUnreadable(StartpointError):
    """What stands under the key of a startpoint or a fan-out cannot be understood; other keys don't mind.

    ``startpoint_type`` is the ``@type`` that it names, None where none can be made out.
    """

    def __init__(self, namespace: str, key: str, startpoint_type: str | None, error: WireError) -> None:
        self.namespace = namespace
        self.key = key
        self.startpoint_type = startpoint_type
        self.reason = error.reason
        kind = "no @type" if startpoint_type is None else f"@type {startpoint_type}"
        super().__init__(
            f"what stands under {key!r} of {namespace} with {kind} cannot be read ({error}): "
            "write the order again, or delete it"
        )


class StartpointNotWritten(StartpointError):
    """A request was not written or deleted; ``task_name`` None: it is one for every task. The cause says why."""

    def __init__(self, partition: SystemStreamPartition, task_name: str | None, cause: BaseException) -> None:
        self.partition = partition
        self.task_name = task_name
        task = "every task" if task_name is None else f"task {task_name!r}"
        super().__init__(f"the startpoint of {partition} for {task} is not known to be on the log: {cause}")
