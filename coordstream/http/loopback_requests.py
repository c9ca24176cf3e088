"""Which requests a server on a loopback address may answer without a token."""

from collections.abc import Sequence

from coordstream.http.address import is_loopback


def is_for_loopback(hosts: Sequence[str]) -> bool:
    """Whether the ``Host`` headers of a request name this machine.

    A page of another host could make its own name resolve to 127.0.0.1 and read the answers (DNS rebinding).
    """
    return len(hosts) == 1 and is_loopback(_host_name(hosts[0]))


def _host_name(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]
