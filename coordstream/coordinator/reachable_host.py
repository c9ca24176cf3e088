"""The host name by which containers reach a job coordinator."""

import socket
from ipaddress import ip_address
from typing import Final

from coordstream.http.address import is_loopback

_ELSEWHERE: Final = ("192.0.2.1", 9)
"""An address for documentation: connecting a datagram socket to it sends nothing, but selects a network interface."""


def reachable_host(host: str) -> str:
    """The host for URLs: the given one, or for a wildcard address the name of this machine, as in Samza.

    If the machine's name only leads to itself, it is the machine's address in its network.
    """
    try:
        is_wildcard = ip_address(host).is_unspecified
    except ValueError:
        is_wildcard = False
    return _machine_name() if is_wildcard else host


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
