"""The address of a server: parsed from the command line, listened on, and named by requests."""

import errno
import re
import socket
from collections.abc import Sequence
from ipaddress import ip_address
from typing import Final, NamedTuple

from coordstream.errors import CoordstreamError

_ADDRESS: Final = re.compile(r"(?:(?P<host>[^:\[\]]+|\[[0-9a-fA-F:.]+\]):)?(?P<port>[0-9]{1,5})")
LARGEST_PORT: Final = 65_535
_BACKLOG: Final = 128


class AddressUnavailable(CoordstreamError):
    """A server cannot listen on an address."""


class Address(NamedTuple):
    """A host and a port to listen on; port 0 is any free port."""

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Whether only programs on this machine can connect."""
        return is_loopback(self.host)

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def is_loopback(host: str) -> bool:
    """Whether a host is this machine for every client: ``localhost``, or an address of the loopback interface."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def is_for_loopback(hosts: Sequence[str]) -> bool:
    """Whether the ``Host`` headers of a request name this machine: only then it may be answered without a token.

    A page of another host could make its own name resolve to 127.0.0.1 and read the answers (DNS rebinding).
    """
    return len(hosts) == 1 and is_loopback(_host_name(hosts[0]))


def _host_name(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def parse_address(text: str) -> Address:
    """``127.0.0.1:8470``, ``[::1]:8470``, ``localhost:8470`` or just a port, which is one of 127.0.0.1.

    Raises:
        ValueError: it is none of these, or no port has this number.
    """
    found = _ADDRESS.fullmatch(text)
    if found is None:
        raise ValueError(
            f"Invalid address {text!r}. Expected PORT or HOST:PORT, such as 8470, 127.0.0.1:8470 or [::1]:8470."
        )
    if int(found["port"]) > LARGEST_PORT:
        raise ValueError(f"Invalid address {text!r}. Expected a port from 0 to {LARGEST_PORT}.")
    return Address((found["host"] or "127.0.0.1").strip("[]"), int(found["port"]))


def listen(address: Address, option: str) -> socket.socket:
    """A socket that listens on an address.

    Raises:
        AddressUnavailable: it cannot; the message names the option to change.
    """
    try:
        (family, _, _, _, place), *_ = socket.getaddrinfo(*address, type=socket.SOCK_STREAM)
        return socket.create_server(place[:2], family=family, backlog=_BACKLOG)
    except (OSError, UnicodeError) as error:
        reason = _reason(error)
        raise AddressUnavailable(
            f"Cannot listen on {address}: {reason}. Choose another address with {option}."
        ) from None


def _reason(error: OSError | UnicodeError) -> str:
    if isinstance(error, UnicodeError):
        return "the host is not a valid name"
    if error.errno == errno.EADDRINUSE:
        return "another program uses this port"
    text = error.strerror or type(error).__name__
    return text[:1].lower() + text[1:]
