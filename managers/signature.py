"""Who writes a message: what Samza puts around the values of each (CoordinatorStreamMessage, seed 000)."""

import getpass
import socket
from functools import cache
from typing import Final

from eventlog.log import Clock, system_clock
from eventlog.messages import Envelope
from eventlog.timestamps import ms_of

UNKNOWN: Final = "Unknown"
JOB_RUNNER: Final = "job-runner"
STREAM_WRITER: Final = "coordinator-stream-writer"
JOB_COORDINATOR: Final = "Job-coordinator"
CHECKPOINT_TOOL: Final = "checkpoint-tool"
CONTAINER: Final = "SamzaContainer"
_FORCED: Final = " (forced)"


def signed(source: str | None = None, *, clock: Clock = system_clock) -> Envelope:
    """The envelope of a message that is written now, on this host, by this user; without a source, by ``Unknown``."""
    return Envelope(source or UNKNOWN, _host_address(), _user_name(), ms_of(clock()))


def forced(source: str) -> str:
    """The source of what was written although it was refused at first, so that the history of config tells."""
    return source + _FORCED


@cache
def _host_address() -> str:
    """This host's address; empty where it has none, as with Samza."""
    try:
        return socket.gethostbyname(socket.gethostname())
    except (OSError, UnicodeError):  # the latter of a name that is too long to be asked for
        return ""


@cache
def _user_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""
