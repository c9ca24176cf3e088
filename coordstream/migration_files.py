"""Where the migrations are: beside the packages in a checkout, inside coordstream in an installed wheel."""

from pathlib import Path

from coordstream.errors import CoordstreamError


def migrations_folder(package: Path = Path(__file__).parent) -> Path:
    """The folder that holds Alembic's ``env.py`` and ``versions``; ``package`` is the folder of coordstream.

    Raises:
        CoordstreamError: neither place has it, because the installation is broken.
    """
    for folder in (package / "migrations", package.parent / "migrations"):
        if (folder / "env.py").is_file():
            return folder
    raise CoordstreamError(f"No migrations in {package} or beside it. Reinstall coordstream.")
