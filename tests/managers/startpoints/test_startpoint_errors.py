"""Errors of startpoints keep what they are about, also on the way from another process."""

import pickle

from eventlog.errors import WireError
from managers.errors import ManagerError
from managers.startpoints.startpoint_errors import StartpointError, StartpointUnreadable


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
