"""Who writes events: the host and the user of this process, in envelopes or else in headers of the records."""

import getpass
import logging
import socket
from functools import cache
from typing import Final

from eventlog.events import Headers, NewEvent
from eventlog.wire.coordinator import ENVELOPED_TYPES

HOST_HEADER: Final = "coordstream-host"
USERNAME_HEADER: Final = "coordstream-username"
_logger: Final = logging.getLogger(__name__)


def written_event(message_type: str, key: bytes, value: bytes | None) -> NewEvent:
    """An event to append, with headers that name its writer unless its value has an envelope. Samza ignores them."""
    has_envelope = value is not None and message_type in ENVELOPED_TYPES
    return NewEvent(key, value, headers=() if has_envelope else _own_headers())


def writer_of(headers: Headers) -> tuple[str | None, str | None]:
    """The host and the user in the headers of an event; None: they do not name it, or Postgres cannot store it."""
    values = dict(headers)
    return _text(values.get(HOST_HEADER)), _text(values.get(USERNAME_HEADER))


@cache
def host_address() -> str:
    """This host's address; empty if it has none, as in Samza."""
    try:
        return socket.gethostbyname(socket.gethostname())
    except (OSError, UnicodeError):  # UnicodeError: the host name is too long to look up
        _logger.warning("The address of this host is unknown. The messages that it writes name no host.")
        return ""


@cache
def user_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""


@cache
def _own_headers() -> Headers:
    values = {HOST_HEADER: host_address(), USERNAME_HEADER: user_name()}
    return tuple((name, value.encode("utf-8", "replace")) for name, value in values.items() if value)


def _text(value: bytes | None) -> str | None:
    try:
        text = (value or b"").decode()
    except UnicodeDecodeError:
        return None
    return None if not text or "\0" in text else text
