"""The server's main process: its settings, how it is started, and whether it is running."""

import os
import shlex
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from coordstream.errors import EmbeddedPostgresError
from coordstream.postgres.programs import ServerAccount

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
PID_FILE: Final = "postmaster.pid"
READY_SECONDS: Final = 300.0
ORPHAN_SECONDS: Final = 15.0
ORPHANS_LEFT: Final = "pre-existing shared memory block"
_NO_PROCESS: Final = 2**30
"""Above the largest pid."""
_POLL_SECONDS: Final = 0.02
_PROC: Final = Path("/proc")


class Postmaster(NamedTuple):
    """The contents of ``postmaster.pid`` (Postgres: ``miscadmin.h``, LOCK_FILE_LINE_*)."""

    pid: int
    port: int
    is_ready: bool


def recorded_postmaster(data_folder: Path) -> Postmaster | None:
    """The server recorded in a data folder, which may be dead; None if there is no valid record."""
    try:
        lines = (data_folder / PID_FILE).read_text().splitlines()
        return Postmaster(int(lines[0]), int(lines[3]), len(lines) > 7 and lines[7].strip() == "ready")
    except (FileNotFoundError, NotADirectoryError, IndexError, ValueError):
        return None


def running_postmaster(data_folder: Path) -> Postmaster | None:
    """The running server of the data folder, or None: after a restart, another program may have the recorded pid."""
    recorded = recorded_postmaster(data_folder)
    return recorded if recorded is not None and is_postmaster_of(recorded.pid, data_folder) else None


def is_postmaster_of(pid: int, data_folder: Path) -> bool:
    """Whether the process is a server that was started on this data folder."""
    command = _command_line(pid)
    program = command.partition(" -D ")[0].rsplit("/", 1)[-1]
    return program == "postgres" and f" -D {data_folder} " in f"{command} "


def start_postmaster(
    data_folder: Path, bin_folder: Path, account: ServerAccount, log_file: Path, settings: Mapping[str, str]
) -> None:
    """Start the server on its previous port if that is free, else on another. No server runs on the data folder.

    Raises:
        EmbeddedPostgresError: the server does not start; the message includes the server's.
    """
    _forget_recycled_pid(data_folder)
    port = _free_port(kept_port(data_folder))
    options = ["-w", "-t", f"{READY_SECONDS:.0f}", "-o", server_options(port, settings)]
    command: list[str | Path] = [bin_folder / "pg_ctl", "start", "-D", data_folder, "-l", log_file, *options]
    deadline = time.monotonic() + ORPHAN_SECONDS
    while output := _start(command, account, log_file):
        if ORPHANS_LEFT not in output or time.monotonic() > deadline:
            raise EmbeddedPostgresError(
                f"Cannot start Postgres on '{data_folder}': {_reason(output)}. Its log is '{log_file}'."
            )
        time.sleep(_POLL_SECONDS)
    _port_file(data_folder).write_text(f"{port}\n")


def server_options(port: int, overrides: Mapping[str, str]) -> str:
    """The options of ``postgres`` as one text for ``pg_ctl -o``, which passes it to a shell."""
    settings = {**SERVER_SETTINGS, **overrides}
    assignments = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    return shlex.join(["-p", str(port), *assignments])


def kept_port(data_folder: Path) -> int | None:
    """The port of the server's last start on a data folder; None before its first start."""
    file = _port_file(data_folder)
    kept = file.read_text().strip() if file.exists() else ""
    return int(kept) if kept.isdecimal() else None


def wait_for(condition: Callable[[], bool], what: str, seconds: float = READY_SECONDS) -> None:
    """Wait until the condition is true. Raises EmbeddedPostgresError: it is not within ``seconds``."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise EmbeddedPostgresError(
                f"Timeout after {seconds:.0f} s while waiting for {what}. See the server's log."
            )
        time.sleep(_POLL_SECONDS)


def _start(command: list[str | Path], account: ServerAccount, log_file: Path) -> str:
    log_end = log_file.stat().st_size if log_file.exists() else 0
    result = account.run(command)
    if result.returncode == 0:
        return ""
    logged = log_file.read_bytes()[log_end:].decode(errors="replace") if log_file.exists() else ""
    return logged or result.stderr or result.stdout or "pg_ctl failed"


def _forget_recycled_pid(data_folder: Path) -> None:
    """Replace the pid of a dead server, which another process may have now: Postgres would take that for the server.

    The rest of the file stays, so that Postgres still notices processes that the dead server left.
    """
    pid_file = data_folder / PID_FILE
    if recorded_postmaster(data_folder) is None:
        pid_file.unlink(missing_ok=True)
    else:
        _, _, rest = pid_file.read_text().partition("\n")
        pid_file.write_text(f"{_NO_PROCESS}\n{rest}")


def _free_port(preferred: int | None) -> int:
    for port in (preferred or 0, 0):
        with socket.socket() as probe, suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
            return int(probe.getsockname()[1])
    raise EmbeddedPostgresError("No port of 127.0.0.1 is free. End programs that use many.")


def _port_file(data_folder: Path) -> Path:
    return data_folder.with_name(f"{data_folder.name}.port")


def _command_line(pid: int) -> str:
    """The command line of a process, joined by spaces; empty for a zombie or if there is no such process."""
    if _PROC.joinpath("self").exists():
        try:
            raw = _PROC.joinpath(str(pid), "cmdline").read_bytes()
        except OSError:
            return ""
        return os.fsdecode(raw).rstrip("\0").replace("\0", " ")
    command = ["ps", "-ww", "-o", "command=", "-p", str(pid)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def _reason(output: str) -> str:
    """The reason in the server's output: the last FATAL message, else the last line."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    fatal = [line.partition("FATAL:")[2].strip() for line in lines if "FATAL:" in line]
    return (fatal or lines or ["no output"])[-1].rstrip(".")
