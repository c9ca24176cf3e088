"""Whether a server accepts connections, by a single attempt: clients of Kafka and Spark try for a minute or more."""

import socket


def connection_failure(host: str, port: int, seconds: float) -> str:
    """Connect once and return why that failed within this time; empty if it did not. An IPv6 host may have brackets."""
    try:
        socket.create_connection((host.strip("[]"), port), timeout=seconds).close()
    except (
        OSError,
        OverflowError,
        UnicodeError,
    ) as error:  # a port above 65535, a host with two dots in a row
        return getattr(error, "strerror", None) or "no answer"
    return ""
