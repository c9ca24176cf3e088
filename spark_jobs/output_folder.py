"""Output folders that appear complete or not at all, on this machine or in a file system that Spark knows."""

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
from spark_jobs.hadoop_folder import HadoopFolder, hadoop_uri

PATTERN_CHARACTERS = frozenset("*?[{\\")
URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")


@dataclass(frozen=True)
class OutputFolder:
    """Where a result is built: Spark writes tables below `uri`, Python writes single files into `files`."""

    uri: str
    files: Path

    def table(self, name: str) -> str:
        """The URI of a table."""
        return f"{self.uri}/{name}"


@contextmanager
def output_folder(spark: SparkSession, output: str, marker: str, *, overwrite: bool) -> Iterator[OutputFolder]:
    """A scratch folder beside `output`, renamed to `output` when the block succeeds and deleted when it fails.

    `output` is a local folder (a path or file:/ URI) that Spark's executors can access too, or a URI of any file system
    that Spark knows, such as hdfs:// or, with its jars and credentials, s3a://. An object store cannot rename: there
    the files are copied one by one.

    An existing `output` is replaced only if `overwrite` is set and the folder is empty or contains `marker`, the file
    that identifies an earlier result. Otherwise raises SparkJobError, before anything is read or written.
    """
    local = checked_path(output)
    folder = _hadoop(spark, output, marker, overwrite) if local is None else _local(local, marker, overwrite)
    with folder as scratch:
        yield scratch


def check_output(output: str, marker: str, *, overwrite: bool) -> None:
    """Raise SparkJobError if `output_folder` would refuse the output; one of another file system is only parsed."""
    local = checked_path(output)
    if local is not None:
        _check(local, marker, overwrite=overwrite)


def checked_path(output: str) -> Path | None:
    """As `local_path`, for an output that is written. Raises SparkJobError for a path that Spark could not read again.

    Spark reads every path as a pattern: it would find other folders, or none.
    """
    if not output:
        raise SparkJobError("The output is empty. Expected a path, or a URI such as s3a://bucket/folder.")
    local = local_path(output)
    for path in (output,) if local is None else (output, str(local.resolve())):
        if PATTERN_CHARACTERS & set(path):
            raise SparkJobError(
                f"Invalid output '{path}': Spark reads it as a pattern. Choose a path without any of * ? [ {{ \\."
            )
    return local


def local_path(output: str) -> Path | None:
    """The path of a local output, or None for another file system. Raises SparkJobError for an invalid output."""
    if not URI.match(output):
        return Path(output)
    try:
        parts = urlsplit(output)
    except ValueError as error:
        raise SparkJobError(
            f"Invalid output '{output}': {error}. Expected a path or a URI such as scheme://host/folder."
        ) from None
    if parts.password is not None:
        raise SparkJobError("--output contains a password. Put the credentials into Spark's configuration instead.")
    if not parts.path.strip("/"):
        raise SparkJobError(
            f"Output '{output}' contains no folder name. Add one, for example '{output.rstrip('/')}/progress'."
        )
    if parts.scheme.lower() != "file":
        return None
    if parts.netloc not in ("", "localhost"):
        raise SparkJobError(f"Output '{output}' contains the host {parts.netloc!r}. Expected file:///folder.")
    if parts.fragment:
        raise SparkJobError(f"Output '{output}' contains '#'. Write %23 instead in a file: URI.")
    return Path(unquote(parts.path))


@contextmanager
def _local(target: Path, marker: str, overwrite: bool) -> Iterator[OutputFolder]:
    _check(target, marker, overwrite=overwrite)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    except OSError as error:
        raise SparkJobError(
            f"Cannot create output folder '{target}': {error.strerror}. Choose another folder."
        ) from error
    try:
        # Spark looks up a bare path in the cluster's default file system
        yield OutputFolder(hadoop_uri(scratch), scratch)
        scratch.chmod(0o755)  # mkdtemp creates it with 0700
        _check(target, marker, overwrite=overwrite)  # another program may have created it meanwhile
        _replace(target, scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


@contextmanager
def _hadoop(spark: SparkSession, output: str, marker: str, overwrite: bool) -> Iterator[OutputFolder]:
    target = HadoopFolder(spark, output.rstrip("/"))
    _check_hadoop(target, output, marker, overwrite=overwrite)
    scratch = target.sibling()
    scratch.create()
    try:
        with tempfile.TemporaryDirectory(prefix="coordstream-") as files:
            yield OutputFolder(scratch.uri, Path(files))
            scratch.upload(Path(files).iterdir())
        _check_hadoop(target, output, marker, overwrite=overwrite)
        scratch.replace(target)
    finally:
        with suppress(SparkJobError):  # it would hide the first error
            scratch.delete()


def _check(target: Path, marker: str, *, overwrite: bool) -> None:
    if not target.exists():
        return
    _require_overwrite(str(target), overwrite=overwrite)
    if not target.is_dir() or (any(target.iterdir()) and not (target / marker).is_file()):
        raise _not_a_result(str(target))


def _check_hadoop(target: HadoopFolder, output: str, marker: str, *, overwrite: bool) -> None:
    if not target.exists():
        return
    _require_overwrite(output, overwrite=overwrite)
    if not target.is_empty() and not target.contains(marker):
        raise _not_a_result(output)


def _not_a_result(output: str) -> SparkJobError:
    return SparkJobError(f"Output folder '{output}' is not an earlier result of this job. Choose another folder.")


def _require_overwrite(output: str, *, overwrite: bool) -> None:
    if not overwrite:
        raise SparkJobError(
            f"Output folder '{output}' exists. Choose another folder, or use --overwrite to replace it."
        )


def _replace(target: Path, scratch: Path) -> None:
    if not target.exists():
        scratch.replace(target)
        return
    with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as old:
        former = target.replace(Path(old) / "old")
        try:
            scratch.replace(target)
        except OSError as error:
            former.replace(target)
            raise SparkJobError(
                f"Cannot replace output folder '{target}': {error.strerror}. The earlier result is still there."
            ) from error
