"""Errors of startpoints keep what they are about, also on the way from another process."""

import pickle

from eventlog.errors import WireError
from eventlog.partition import SystemStreamPartition
from managers.errors import ManagerError
from managers.startpoints.startpoint_errors import StartpointError, StartpointNotWritten, StartpointUnreadable


def test_what_cannot_be_read_is_named() -> None:
    error = StartpointUnreadable(
        "samza-startpoint-v1",
        "k.s.0",
        "StartpointCustom",
        WireError("unknown_startpoint", "none of four"),
    )
    assert isinstance(error, StartpointError)
    assert isinstance(error, ManagerError)
    assert str(error) == (
        "what stands under 'k.s.0' of samza-startpoint-v1 with @type StartpointCustom cannot be read "
        "(unknown_startpoint: none of four): write the order again, or delete it"
    )
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 (our own)
    assert (again.namespace, again.key, again.startpoint_type, again.reason) == (
        "samza-startpoint-v1",
        "k.s.0",
        "StartpointCustom",
        "unknown_startpoint",
    )


def test_what_is_not_written_is_named() -> None:
    partition = SystemStreamPartition("k", "s", 0)
    one, every = (StartpointNotWritten(partition, task, OSError("full")) for task in ("t", None))
    assert str(one) == "the startpoint of k.s.0 for task 't' is not known to be on the log: full"
    assert str(every) == "the startpoint of k.s.0 for every task is not known to be on the log: full"
    again = pickle.loads(pickle.dumps(one))  # noqa: S301 (our own)
    assert (again.partition, again.task_name, str(again)) == (partition, "t", str(one))
