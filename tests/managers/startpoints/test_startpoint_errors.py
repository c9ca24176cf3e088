"""Errors of startpoints keep their attributes, also when they are pickled."""

import pickle

from eventlog.errors import WireError
from eventlog.partition import SystemStreamPartition
from managers.errors import ManagerError
from managers.startpoints.startpoint_records import StartpointError, StartpointNotWritten, StartpointUnreadable


def test_an_unreadable_startpoint_is_named() -> None:
    error = StartpointUnreadable(
        "samza-startpoint-v1",
        "k.s.0",
        "StartpointCustom",
        WireError("unknown_startpoint", "none of four"),
    )
    assert isinstance(error, StartpointError)
    assert isinstance(error, ManagerError)
    assert str(error) == (
        "Cannot read the value of 'k.s.0' in samza-startpoint-v1, with @type StartpointCustom: "
        "unknown_startpoint: none of four. Write the startpoint again, or delete it."
    )
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 (our own)
    assert (again.namespace, again.key, again.startpoint_type, again.reason) == (
        "samza-startpoint-v1",
        "k.s.0",
        "StartpointCustom",
        "unknown_startpoint",
    )


def test_an_unwritten_startpoint_is_named() -> None:
    partition = SystemStreamPartition("k", "s", 0)
    one, every = (StartpointNotWritten(partition, task, OSError("full")) for task in ("t", None))
    assert str(one) == "Cannot confirm that the startpoint of k.s.0 for task 't' was written: full"
    assert str(every) == "Cannot confirm that the startpoint of k.s.0 for every task was written: full"
    again = pickle.loads(pickle.dumps(one))  # noqa: S301 (our own)
    assert (again.partition, again.task_name, str(again)) == (partition, "t", str(one))
