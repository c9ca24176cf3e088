"""The settings with which the server is started. Its configuration files are not changed."""

import shlex
from collections.abc import Mapping
from typing import Final

SERVER_SETTINGS: Final[Mapping[str, str]] = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "120",
    # for the server's own user: commands and followers can connect when other logins use all other connections
    "superuser_reserved_connections": "20",
    "client_connection_check_interval": "2s",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "shared_buffers": "256MB",
    "max_wal_size": "2GB",
    "jit": "off",
    # Statements, their parameters and the details of errors can contain secrets, so they are not logged.
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_statement": "none",
    "log_min_duration_statement": "-1",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    "log_checkpoints": "off",
}


def server_options(port: int, overrides: Mapping[str, str]) -> str:
    """The options of ``postgres`` as one text for ``pg_ctl -o``, which passes it to a shell."""
    settings = {**SERVER_SETTINGS, **overrides}
    assignments = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    return shlex.join(["-p", str(port), *assignments])


def syncs_to_disk(overrides: Mapping[str, str]) -> bool:
    """Whether committed data survives a power failure (tests give that up for speed)."""
    return overrides.get("fsync", "on") != "off"
