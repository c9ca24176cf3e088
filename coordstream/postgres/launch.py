"""Starting the server's process: a free port, a stale pid file, the size of the log."""

import socket
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from coordstream.errors import EmbeddedPostgresError
from coordstream.postgres.account import ServerAccount
from coordstream.postgres.configuration import server_options
from coordstream.postgres.postmaster import PID_FILE, is_alive, processes_in, recorded_postmaster

READY_SECONDS: Final = 300.0
ORPHAN_SECONDS: Final = 15.0
LOG_BYTES: Final = 10_000_000
FREE_PORTS_TRIED: Final = 5
PORT_TAKEN: Final = "could not create any TCP/IP sockets"
ORPHANS_LEFT: Final = "pre-existing shared memory block"
_POLL_SECONDS: Final = 0.02


def wait_for(condition: Callable[[], bool], what: str, seconds: float = READY_SECONDS) -> None:
    """Wait until the condition is true.

    Raises:
        EmbeddedPostgresError: it is not true within ``seconds``.
    """
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise EmbeddedPostgresError(
                f"Timeout after {seconds:.0f} s while waiting for {what}. See the server's log."
            )
        time.sleep(_POLL_SECONDS)


@dataclass(frozen=True)
class Launch:
    """A start of the server on a data folder without a running server."""

    data_folder: Path
    bin_folder: Path
    account: ServerAccount
    log_file: Path
    settings: Mapping[str, str]

    def run(self) -> None:
        """Start the server on its previous port if that is free, else on another.

        Raises:
            EmbeddedPostgresError: the server does not start; the message includes the server's.
        """
        self._remove_stale_pid()
        self._rotate_log()
        output = ""
        for port in self._ports():
            output = self._try(port)
            if not output:
                _port_file(self.data_folder).write_text(f"{port}\n")
                return
            if PORT_TAKEN not in output:
                break
        raise EmbeddedPostgresError(
            f"Cannot start Postgres on '{self.data_folder}': {_reason(output)}. Its log is '{self.log_file}'."
        )

    def _try(self, port: int) -> str:
        """Start on this port. Returns the output of a failed start, else an empty text."""
        deadline = time.monotonic() + ORPHAN_SECONDS
        while output := self._start_once(port):
            if ORPHANS_LEFT not in output or time.monotonic() > deadline:
                return output
            time.sleep(_POLL_SECONDS)
        return ""

    def _start_once(self, port: int) -> str:
        log_end = self.log_file.stat().st_size if self.log_file.exists() else 0
        options = ["-w", "-t", f"{READY_SECONDS:.0f}", "-o", server_options(port, self.settings)]
        program = self.bin_folder / "pg_ctl"
        result = self.account.run([program, "start", "-D", self.data_folder, "-l", self.log_file, *options])
        if result.returncode == 0:
            return ""
        logged = self.log_file.read_bytes()[log_end:].decode(errors="replace") if self.log_file.exists() else ""
        return logged or result.stderr or result.stdout or "pg_ctl failed"

    def _ports(self) -> Iterator[int]:
        kept = kept_port(self.data_folder)
        if kept is not None:
            yield kept
        for _ in range(FREE_PORTS_TRIED):
            yield _free_port()

    def _remove_stale_pid(self) -> None:
        """Remove the pid file of a dead server if another process has its pid now, or if the file is truncated.

        Postgres ignores a pid without a process, but takes a process of the same user for a running server. The file
        stays while any process works in the folder, because it protects the data.
        """
        pid_file = self.data_folder / PID_FILE
        stale = recorded_postmaster(self.data_folder)
        if not pid_file.exists() or (stale is not None and not is_alive(stale.pid)):
            return
        what = f"processes in '{self.data_folder}' to end"
        wait_for(lambda: not processes_in(self.data_folder), what, ORPHAN_SECONDS)
        pid_file.unlink(missing_ok=True)

    def _rotate_log(self) -> None:
        if self.log_file.exists() and self.log_file.stat().st_size > LOG_BYTES:
            self.log_file.rename(self.log_file.with_suffix(".log.1"))


def kept_port(data_folder: Path) -> int | None:
    """The port of the server's last start on a data folder; None before its first start."""
    file = _port_file(data_folder)
    kept = file.read_text().strip() if file.exists() else ""
    return int(kept) if kept.isdecimal() else None


def _port_file(data_folder: Path) -> Path:
    return data_folder.with_name(f"{data_folder.name}.port")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _reason(output: str) -> str:
    """The reason in the server's output: the last FATAL message, else the last line."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    fatal = [line.partition("FATAL:")[2].strip() for line in lines if "FATAL:" in line]
    return (fatal or lines or ["no output"])[-1].rstrip(".")
