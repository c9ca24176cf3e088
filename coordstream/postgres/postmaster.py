"""The server's main process: its pid, whether it is running, and on which data folder."""

import os
import subprocess
from pathlib import Path
from typing import Final, NamedTuple

PID_FILE: Final = "postmaster.pid"
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
    """The running server of the data folder, or None.

    A recorded pid is not enough: after a reboot another program may have it.
    """
    recorded = recorded_postmaster(data_folder)
    if recorded is None or not is_postmaster_of(recorded.pid, data_folder):
        return None
    return recorded


def is_postmaster_of(pid: int, data_folder: Path) -> bool:
    """Whether the process is a server that was started on this data folder."""
    command = command_line(pid)
    program = command.partition(" -D ")[0].rsplit("/", 1)[-1]
    return program == "postgres" and f" -D {data_folder} " in f"{command} "


def command_line(pid: int) -> str:
    """The command line of a process, joined by spaces; empty for a zombie or if there is no such process."""
    if _PROC.joinpath("self").exists():
        try:
            raw = _PROC.joinpath(str(pid), "cmdline").read_bytes()
        except OSError:
            return ""
        return os.fsdecode(raw).rstrip("\0").replace("\0", " ")
    result = subprocess.run(
        ["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return result.stdout.strip()


def is_alive(pid: int) -> bool:
    """Whether a process with this pid exists, including zombies and processes of other users."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def processes_in(data_folder: Path) -> list[int]:
    """The processes whose working directory is the data folder: those of its server (Linux only, else empty)."""
    return [int(entry.name) for entry in _PROC.glob("[0-9]*") if _works_in(entry, data_folder)]


def _works_in(entry: Path, folder: Path) -> bool:
    try:
        return entry.joinpath("cwd").readlink() == folder
    except OSError:
        return False
