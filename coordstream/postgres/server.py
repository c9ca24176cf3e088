"""The embedded server: started once, found by later commands, stopped without affecting other servers."""

import fcntl
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Final

from coordstream.errors import EmbeddedPostgresError
from coordstream.postgres.programs import (
    Postmaster,
    ServerAccount,
    is_postmaster_of,
    last_line,
    major_version,
    reachable_bin_folder,
    running_postmaster,
    start_postmaster,
    wait_for,
    wheel_bin_folder,
)
from coordstream.secret_file import read_or_make_secret, read_secret

SUPERUSER: Final = "coordstream"
DATABASE: Final = "coordstream"
STOP_SECONDS: Final = 120.0
BUILTIN_LOCALE_SINCE: Final = 17


class EmbeddedPostgres:
    """The server whose data is in ``<home>/postgres/<major version>``.

    It listens on 127.0.0.1 only, on the same port as long as that is free, requires a generated password (SCRAM), and
    keeps running when the process that started it ends. ``bin_folder`` defaults to the wheel's programs; ``settings``
    overrides settings of the server.
    """

    def __init__(self, home: Path, bin_folder: Path | None = None, settings: Mapping[str, str] | None = None) -> None:
        self._folder = home.resolve() / "postgres"
        self._given_bin_folder = bin_folder
        self._settings = dict(settings or {})
        self._account = ServerAccount.of_this_process()

    @cached_property
    def bin_folder(self) -> Path:
        """The folder of Postgres' programs, including ``psql``."""
        return self._given_bin_folder or wheel_bin_folder()

    @cached_property
    def major_version(self) -> int:
        return major_version(self.bin_folder)

    @property
    def data_folder(self) -> Path:
        """The data folder, one per major version, because Postgres cannot read that of another version."""
        return self._folder / str(self.major_version)

    def start(self) -> str:
        """Start the server unless it is running, and return the URL of its database (with the password).

        The first start creates the data folder and the database. Concurrent starts result in one server. Raises
        `EmbeddedPostgresError`: the server cannot be started; the message has the reason.
        """
        with self._lock():
            if self.running is None:
                self._launch()
            wait_for(
                lambda: (server := self.running) is not None and server.is_ready,
                f"Postgres on '{self.data_folder}' to accept connections",
            )
        return self.connect_url()

    def stop(self) -> bool:
        """Stop the server of this data folder. Returns False if it was not running.

        Raises `EmbeddedPostgresError`: the server does not end in time.
        """
        if not self.data_folder.exists():
            return False
        with self._lock():
            running = self.running
            if running is None:
                return False
            os.kill(running.pid, signal.SIGINT)
            waited_for = f"Postgres (process {running.pid}) on '{self.data_folder}' to end"
            wait_for(lambda: not is_postmaster_of(running.pid, self.data_folder), waited_for, STOP_SECONDS)
            return True

    @property
    def running(self) -> Postmaster | None:
        """The process of the server; None unless it is running."""
        return running_postmaster(self.data_folder)

    @property
    def log_file(self) -> Path:
        """The server's log. It contains no statements and no values."""
        return self.data_folder / "server.log"

    def connect_url(self, database: str = DATABASE) -> str:
        """The URL of a database of the running server. It contains the password, so it must not be logged.

        Raises `EmbeddedPostgresError`: the server is not running.
        """
        running = self.running
        if running is None:
            raise EmbeddedPostgresError(
                f"The embedded Postgres of '{self.data_folder}' is not running. Start it with `coordstream up`."
            )
        return f"postgresql://{SUPERUSER}:{self._password()}@127.0.0.1:{running.port}/{database}"

    def _launch(self) -> None:
        programs = reachable_bin_folder(self.bin_folder, self._account, self._folder / "programs")
        password = self._password()
        if not self.data_folder.exists():
            self._create_data_folder(programs, password)
        start_postmaster(self.data_folder, programs, self._account, self.log_file, self._settings)

    def _create_data_folder(self, programs: Path, password: str) -> None:
        """Create the folder under another name and rename it at the end, so it is complete or absent.

        With the setting fsync=off, data may not survive a power failure, for speed in tests.
        """
        if others := [path.name for path in self._folder.glob("[1-9]*") if path.name.isdecimal()]:
            has = f"'{self._folder / others[0]}' has data of Postgres {others[0]}, not {self.major_version}"
            remedy = "Dump it with the version of coordstream that wrote it, move it away, and restore the dump."
            raise EmbeddedPostgresError(f"{has}. {remedy}")
        for leftover in self._folder.glob(f"{self.data_folder.name}.new-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        work = Path(tempfile.mkdtemp(dir=self._folder, prefix=f"{self.data_folder.name}.new-"))
        data, fsync = work / "data", self._settings.get("fsync", "on")
        locale = ["--locale=C.UTF-8"]
        if self.major_version >= BUILTIN_LOCALE_SINCE:
            locale = ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        options = ["-A", "scram-sha-256", "-E", "UTF8", "--no-instructions", *(["--no-sync"] if fsync == "off" else [])]
        named = ["-U", SUPERUSER, f"--pwfile={_password_file(work, password, self._account)}"]
        settings = ["-c", "exit_on_error=on", "-c", f"fsync={fsync}"]
        create = f"CREATE DATABASE {DATABASE};\n"
        try:
            self._execute([programs / "initdb", "-D", data, *named, *options, *locale])
            self._execute([programs / "postgres", "--single", "-D", data, *settings, "postgres"], create)
            data.rename(self.data_folder)
        finally:
            shutil.rmtree(work, ignore_errors=True)

    def _execute(self, command: list[str | Path], stdin: str = "") -> None:
        result = self._account.run(command, stdin)
        if result.returncode != 0:
            raise EmbeddedPostgresError(
                f"'{command[0]}' cannot create the data folder as {self._account.name}: {last_line(result.stderr)}. "
                "Check that this user has a name and can write to COORDSTREAM_HOME, and that the disk has space."
            )

    def _password(self) -> str:
        """Read the password, which is generated with the data folder. A lost one cannot be generated again."""
        path = self._folder / "password"
        try:
            return read_secret(path) if self.data_folder.exists() else read_or_make_secret(path)
        except (OSError, ValueError) as error:
            raise EmbeddedPostgresError(
                f"Cannot read the password of the embedded Postgres from '{path}'. Restore that file."
            ) from error

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """Prevent other processes from starting or stopping this server."""
        try:
            for folder in (self._folder.parent, self._folder):
                if not folder.exists():
                    folder.mkdir(parents=True)
                    # where the server runs as another user, others may pass through to its data folder
                    folder.chmod(0o711 if self._account.is_other else 0o700)
            lock = os.open(self._folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise EmbeddedPostgresError(
                f"Cannot write to '{self._folder}': {error.strerror}. Set COORDSTREAM_HOME to a writable folder."
            ) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)


def _password_file(work: Path, password: str, account: ServerAccount) -> Path:
    """Write the file before the account owns the folder, so that the account cannot replace it."""
    path = work / "password"
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(password + "\n")
    account.give(path)
    account.give(work)
    return path
