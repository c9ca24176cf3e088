"""The address at which a job coordinator listens, and the host name by which containers reach it."""

import errno
import socket
from ipaddress import ip_address
from typing import Final

from coordstream.errors import CoordstreamError

_BACKLOG: Final = 128
_ELSEWHERE: Final = ("192.0.2.1", 9)
"""An address for documentation: connecting a datagram socket to it sends nothing, but selects a network interface."""


class AddressUnavailable(CoordstreamError):
    """The server cannot listen at an address."""


def is_loopback(host: str) -> bool:
    """Whether only this machine can connect to the host."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens at an address; port 0 is a free port.

    Raises:
        AddressUnavailable: the port is taken or reserved, or the host is not one of this machine.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return _bound(socket.socket(family, kind, protocol), address)
    except OSError as error:
        raise AddressUnavailable(f"Cannot listen at {host}:{port}: {_reason(error)}") from None


def reachable_host(host: str) -> str:
    """The host for URLs: the given one, or for a wildcard address the name of this machine, as in Samza.

    If the machine's name only leads to itself, it is the machine's address in its network.
    """
    try:
        is_wildcard = ip_address(host).is_unspecified
    except ValueError:
        is_wildcard = False
    return _machine_name() if is_wildcard else host


def _bound(listener: socket.socket, address: tuple[str | int, ...] | tuple[int, bytes]) -> socket.socket:
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


def _reason(error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return "the port is already in use. Choose another one, or 0 for a free one."
    if error.errno == errno.EACCES:
        return "the port is reserved. Choose one above 1023, or 0 for a free one."
    return "this machine does not have the address. Choose one of its addresses."


def _machine_name() -> str:
    name = socket.gethostname()
    try:
        return name if not is_loopback(socket.gethostbyname(name)) else _network_address()
    except OSError:
        return name


def _network_address() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(_ELSEWHERE)
        return str(probe.getsockname()[0])
