"""The envelope of a message: who wrote it, where and when (CoordinatorStreamMessage of Samza)."""

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


def make_envelope(source: str | None = None, *, clock: Clock = system_clock) -> Envelope:
    """An envelope for a message written now, on this host, by this user. Without a source: ``Unknown``."""
    return Envelope(source or UNKNOWN, _host_address(), _user_name(), ms_of(clock()))


def mark_forced(source: str) -> str:
    """The source of a change that was forced, so that the history of config shows it."""
    return source + _FORCED


@cache
def _host_address() -> str:
    """This host's address; empty if it has none, as in Samza."""
    try:
        return socket.gethostbyname(socket.gethostname())
    except (OSError, UnicodeError):  # UnicodeError: the host name is too long to look up
        return ""


@cache
def _user_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""
