"""Which user of the machine runs the server: Postgres refuses to run as root."""

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
    """The user under which programs of Postgres run; ``uid`` and ``gid`` None mean the present user."""

    name: str
    uid: int | None = None
    gid: int | None = None

    @classmethod
    def of_this_process(cls) -> Self:
        """The present user, or ``nobody`` if that is root."""
        if os.geteuid() != 0:
            return cls(f"user {os.geteuid()}")
        try:
            entry = pwd.getpwnam(UNPRIVILEGED_USER)
        except KeyError:
            raise EmbeddedPostgresError(
                f"Postgres refuses to run as root and this machine has no user {UNPRIVILEGED_USER!r}: "
                "run coordstream as another user, or set COORDSTREAM_DATABASE_URL."
            ) from None
        return cls(entry.pw_name, entry.pw_uid, entry.pw_gid)

    @property
    def is_other(self) -> bool:
        """Whether the server runs as another user than this process."""
        return self.uid is not None

    def run(self, command: Sequence[str | Path], stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run a program as this user, to its end; its output is captured.

        The environment holds nothing of ours: a server outlives the command that started it, and its environment
        can be read by every program of the same user.
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
        """Whether this user can execute the program, tried and not guessed from file modes."""
        try:
            return self.run([program, "--version"]).returncode == 0
        except OSError:
            return False

    def can_enter(self, folder: Path) -> bool:
        """Whether this user can reach the folder, tried and not guessed from file modes."""
        return self.run(["/bin/sh", "-c", 'cd "$0"', folder]).returncode == 0

    def give(self, path: Path) -> None:
        """Make this user the owner of a file or folder."""
        if self.uid is not None and self.gid is not None:
            shutil.chown(path, self.uid, self.gid)
