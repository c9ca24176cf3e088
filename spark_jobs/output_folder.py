"""A result folder that appears whole or not at all."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spark_jobs.errors import SparkJobError


@contextmanager
def output_folder(target: Path, marker: str, *, overwrite: bool) -> Iterator[Path]:
    """A scratch folder beside `target` that becomes `target` when the block ends well, and goes when it does not.

    An existing `target` is refused, unless `overwrite` is set and it is empty or holds `marker`, the file that shows
    it to be an earlier result. Raises SparkJobError. Spark's executors must see the same file system.
    """
    _check(target, marker, overwrite=overwrite)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    except OSError as error:
        raise SparkJobError(f"Output folder {target} cannot be made: {error.strerror}; choose another.") from error
    try:
        yield scratch
        scratch.chmod(0o755)  # mkdtemp gives 0700
        _replace(target, scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _check(target: Path, marker: str, *, overwrite: bool) -> None:
    if "://" in str(target) or str(target).startswith(("s3:", "hdfs:", "gs:", "abfs")):
        raise SparkJobError(f"Output {target} is no folder of this machine: write to a folder and copy it there.")
    if not target.exists():
        return
    if not overwrite:
        raise SparkJobError(f"Output folder {target} exists: choose another, or give --overwrite to replace it.")
    if not target.is_dir() or (any(target.iterdir()) and not (target / marker).is_file()):
        raise SparkJobError(f"Output {target} is no earlier result of this job: choose another folder.")


def _replace(target: Path, scratch: Path) -> None:
    if not target.exists():
        scratch.replace(target)
        return
    with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as old:
        target.replace(Path(old) / "old")
        scratch.replace(target)
