"""The operating system user that runs the server: Postgres does not run as root."""

import os
import pwd
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from coordstream.errors import EmbeddedPostgresError

UNPRIVILEGED_USER: Final = "nobody"


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
        """Whether this user can execute the program, determined by trying it."""
        try:
            return self.run([program, "--version"]).returncode == 0
        except OSError:
            return False

    def can_enter(self, folder: Path) -> bool:
        """Whether this user can enter the folder, determined by trying it."""
        return self.run(["/bin/sh", "-c", 'cd "$0"', folder]).returncode == 0

    def give(self, path: Path) -> None:
        """Make this user the owner of a file or folder."""
        if self.uid is not None and self.gid is not None:
            shutil.chown(path, self.uid, self.gid)
