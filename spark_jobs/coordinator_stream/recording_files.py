"""Which files a path names that is to be read as recordings."""

import glob
from pathlib import Path
from typing import Final

from spark_jobs.errors import SparkJobError

_WILDCARDS: Final = frozenset("*?[")
_ENDINGS: Final = (".jsonl", ".jsonl.gz")


def find_files(place: str) -> list[Path]:
    """The files that a path names: itself, the recordings of a folder and its subfolders, or all that match a pattern.

    In a folder, files whose names end with ``.jsonl`` or ``.jsonl.gz`` are recordings. Raises SparkJobError: there are
    none.
    """
    path = Path(place).absolute()
    if path.is_file():
        return [path]
    if path.is_dir():
        found = [file for ending in _ENDINGS for file in path.rglob(f"*{ending}")]
    elif _WILDCARDS & set(place):
        found = [Path(name) for name in glob.glob(str(path), recursive=True)]  # noqa: PTH207 (of an absolute pattern)
    else:
        raise SparkJobError(f"'{place}' does not exist. Name a recording, a folder of recordings or a pattern.")
    files = sorted(file for file in found if file.is_file())
    if not files:
        raise SparkJobError(f"'{place}' has no recordings. Name a recording, a folder of recordings or a pattern.")
    return files
