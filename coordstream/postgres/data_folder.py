"""Creating a data folder, completely or not at all."""

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from coordstream.errors import EmbeddedPostgresError
from coordstream.postgres.account import ServerAccount
from coordstream.postgres.binaries import last_line

SUPERUSER: Final = "coordstream"
DATABASE: Final = "coordstream"
BUILTIN_LOCALE_SINCE: Final = 17


def refuse_other_version(data_folder: Path, major: int) -> None:
    """Check that there is no data of another major version of Postgres.

    Raises:
        EmbeddedPostgresError: there is; the message has the folder and its version.
    """
    folders = [data_folder] if data_folder.exists() else _folders_of_versions(data_folder.parent)
    for folder in folders:
        found = (folder / "PG_VERSION").read_text().strip()
        if found != str(major):
            raise EmbeddedPostgresError(
                f"Data folder '{folder}' was created by Postgres {found}, but this is Postgres {major}. "
                "Dump it with the coordstream that created it, or move it away to start with an empty database."
            )


@dataclass(frozen=True)
class DataFolderCreation:
    """Runs initdb and creates the database, as one user.

    With ``sync=False``, data may not survive a power failure, for speed in tests.
    """

    bin_folder: Path
    major_version: int
    account: ServerAccount
    sync: bool = True

    def run(self, data_folder: Path, password: str) -> None:
        """Create the folder under another name and rename it at the end, so it is complete or absent.

        Raises:
            EmbeddedPostgresError: a program of Postgres failed. No files are left.
        """
        for leftover in data_folder.parent.glob(f"{data_folder.name}.new-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        work = Path(tempfile.mkdtemp(dir=data_folder.parent, prefix=f"{data_folder.name}.new-"))
        try:
            self._execute(self._initdb(work / "data", _password_file(work, password, self.account)))
            self._execute(self._single_user(work / "data"), f"CREATE DATABASE {DATABASE};\n")
            (work / "data").rename(data_folder)
        finally:
            shutil.rmtree(work, ignore_errors=True)

    def _initdb(self, data: Path, password_file: Path) -> list[str | Path]:
        locale = ["--locale=C.UTF-8"]
        if self.major_version >= BUILTIN_LOCALE_SINCE:
            locale = ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        options = ["-A", "scram-sha-256", "-E", "UTF8", "--no-instructions", *([] if self.sync else ["--no-sync"])]
        named = ["-U", SUPERUSER, f"--pwfile={password_file}"]
        return [self.bin_folder / "initdb", "-D", data, *named, *options, *locale]

    def _single_user(self, data: Path) -> list[str | Path]:
        settings = ["-c", "exit_on_error=on", "-c", f"fsync={'on' if self.sync else 'off'}"]
        return [self.bin_folder / "postgres", "--single", "-D", data, *settings, "postgres"]

    def _execute(self, command: list[str | Path], stdin: str = "") -> None:
        result = self.account.run(command, stdin)
        if result.returncode != 0:
            raise EmbeddedPostgresError(
                f"'{command[0]}' cannot create the data folder as {self.account.name}: {last_line(result.stderr)}. "
                "Check that the disk has space and that COORDSTREAM_HOME is writable."
            )


def _folders_of_versions(parent: Path) -> list[Path]:
    return sorted(folder.parent for folder in parent.glob("*/PG_VERSION") if folder.parent.name.isdigit())


def _password_file(work: Path, password: str, account: ServerAccount) -> Path:
    """Write the file before the account owns the folder, so that the account cannot replace it."""
    path = work / "password"
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(password + "\n")
    account.give(path)
    account.give(work)
    return path
