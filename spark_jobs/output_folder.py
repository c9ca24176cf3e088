"""A result folder that appears whole or not at all, on this machine or in a file system that Spark knows."""

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pyspark.sql import SparkSession

from spark_jobs.errors import SparkJobError
from spark_jobs.hadoop_folder import HadoopFolder

URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")


@dataclass(frozen=True)
class OutputFolder:
    """Where a result is made: tables by Spark below `uri`, single files by Python in the folder `files`."""

    uri: str
    files: Path

    def table(self, name: str) -> str:
        """The place of a table, for Spark."""
        return f"{self.uri}/{name}"


@contextmanager
def output_folder(spark: SparkSession, output: str, marker: str, *, overwrite: bool) -> Iterator[OutputFolder]:
    """A scratch folder beside `output` that becomes `output` when the block ends well, and goes when it does not.

    `output` is a folder of this machine (a path or file:/ URI), which Spark's executors must see too, or a URI of any
    file system that Spark knows, such as hdfs:// or, with its jars and credentials, s3a://. An object store has no
    rename: the files are copied there one by one.

    An existing `output` is refused, unless `overwrite` is set and it is empty or holds `marker`, the file that shows it
    to be an earlier result. Raises SparkJobError, before anything is read or written.
    """
    local = local_path(output)
    folder = _hadoop(spark, output, marker, overwrite) if local is None else _local(local, marker, overwrite)
    with folder as scratch:
        yield scratch


def local_path(output: str) -> Path | None:
    """The folder of this machine that is meant, None for one of another file system. Raises SparkJobError."""
    if not URI.match(output):
        return Path(output)
    try:
        parts = urlsplit(output)
    except ValueError as error:
        raise SparkJobError(f"Output {output} is no URI: {error}; write scheme://place/folder.") from None
    if parts.password is not None:
        raise SparkJobError("--output holds a password: give Spark the credentials in its own configuration.")
    if not parts.path.strip("/"):
        raise SparkJobError(
            f"Output {output} names no folder: write one behind it, such as {output.rstrip('/')}/progress."
        )
    if parts.scheme.lower() != "file":
        return None
    if parts.netloc not in ("", "localhost"):
        raise SparkJobError(f"Output {output} names the host {parts.netloc}: write file:///folder.")
    return Path(unquote(parts.path))


@contextmanager
def _local(target: Path, marker: str, overwrite: bool) -> Iterator[OutputFolder]:
    _check(target, marker, overwrite=overwrite)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    except OSError as error:
        raise SparkJobError(f"Output folder {target} cannot be made: {error.strerror}; choose another.") from error
    try:
        # Spark takes a bare path for one of the cluster's default file system
        yield OutputFolder(scratch.resolve().as_uri(), scratch)
        scratch.chmod(0o755)  # mkdtemp gives 0700
        _replace(target, scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


@contextmanager
def _hadoop(spark: SparkSession, output: str, marker: str, overwrite: bool) -> Iterator[OutputFolder]:
    target = HadoopFolder(spark, output.rstrip("/"))
    if target.exists():
        _require_overwrite(output, overwrite=overwrite)
        if not target.is_empty() and not target.holds(marker):
            raise SparkJobError(f"Output {output} is no earlier result of this job: choose another folder.")
    scratch = target.beside()
    scratch.make()
    try:
        with tempfile.TemporaryDirectory(prefix="coordstream-") as files:
            yield OutputFolder(scratch.uri, Path(files))
            scratch.upload(Path(files).iterdir())
        scratch.move_to(target)
    finally:
        with suppress(SparkJobError):  # else it would hide what went wrong
            scratch.delete()


def _check(target: Path, marker: str, *, overwrite: bool) -> None:
    if not target.exists():
        return
    _require_overwrite(str(target), overwrite=overwrite)
    if not target.is_dir() or (any(target.iterdir()) and not (target / marker).is_file()):
        raise SparkJobError(f"Output {target} is no earlier result of this job: choose another folder.")


def _require_overwrite(output: str, *, overwrite: bool) -> None:
    if not overwrite:
        raise SparkJobError(f"Output folder {output} exists: choose another, or give --overwrite to replace it.")


def _replace(target: Path, scratch: Path) -> None:
    if not target.exists():
        scratch.replace(target)
        return
    with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as old:
        target.replace(Path(old) / "old")
        scratch.replace(target)
