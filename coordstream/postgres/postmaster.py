"""The server's main process: who it is, whether it lives, and whether it is the one of our data folder."""

import os
import subprocess
from pathlib import Path
from typing import Final, NamedTuple

PID_FILE: Final = "postmaster.pid"
_PROC: Final = Path("/proc")


class Postmaster(NamedTuple):
    """What ``postmaster.pid`` says (Postgres: ``miscadmin.h``, LOCK_FILE_LINE_*)."""

    pid: int
    port: int
    is_ready: bool


def recorded_postmaster(data_folder: Path) -> Postmaster | None:
    """What the data folder says of its server, which may long be dead; None if it says nothing."""
    try:
        lines = (data_folder / PID_FILE).read_text().splitlines()
        return Postmaster(int(lines[0]), int(lines[3]), len(lines) > 7 and lines[7].strip() == "ready")
    except (FileNotFoundError, NotADirectoryError, IndexError, ValueError):
        return None


def running_postmaster(data_folder: Path) -> Postmaster | None:
    """The server that runs on the data folder, or None.

    A recorded pid alone proves nothing: after a restart of the machine another program may have it.
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
    """The command of a process, its parts joined by spaces; empty for a process that is gone or a zombie."""
    if _PROC.joinpath("self").exists():
        try:
            raw = _PROC.joinpath(str(pid), "cmdline").read_bytes()
        except OSError:
            return ""
        return os.fsdecode(raw).rstrip("\0").replace("\0", " ")
    answer = subprocess.run(
        ["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return answer.stdout.strip()


def is_alive(pid: int) -> bool:
    """Whether a process of this number exists, be it a zombie or another user's."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def processes_in(data_folder: Path) -> list[int]:
    """The processes that work in the data folder, as all of a server do (known on Linux only, else none)."""
    return [int(entry.name) for entry in _PROC.glob("[0-9]*") if _works_in(entry, data_folder)]


def _works_in(entry: Path, folder: Path) -> bool:
    try:
        return entry.joinpath("cwd").readlink() == folder
    except OSError:
        return False
