"""Output folders that appear complete or not at all, in any file system that Spark reaches through Hadoop."""

import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit
from uuid import uuid4

from pyspark.sql import SparkSession

from spark_jobs.errors import SparkJobError, spark_errors

PATTERN_CHARACTERS: Final = frozenset("*?[{\\")
URI: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_NO_FILE_SYSTEM: Final = ("FileSystem not found", "No FileSystem for scheme")


@dataclass(frozen=True)
class OutputFolder:
    """Where a result is built: Spark writes tables below `uri`, Python writes single files into `files`."""

    uri: str
    files: Path

    def table(self, name: str) -> str:
        return f"{self.uri}/{name}"


@contextmanager
def output_folder(spark: SparkSession, output: str, marker: str, *, overwrite: bool) -> Iterator[OutputFolder]:
    """A scratch folder beside `output`, renamed to `output` when the block succeeds and deleted when it fails.

    `output` is a folder that Spark's executors can access too: a path, or a URI of any file system that Spark knows,
    such as hdfs:// or, with its jars and credentials, s3a://. An object store cannot rename: there the files are copied
    one by one.

    An existing `output` is replaced only if `overwrite` is set and the folder is empty or contains `marker`, the file
    that identifies an earlier result. Otherwise raises SparkJobError, before anything is read or written.
    """
    target = HadoopFolder(spark, folder_uri(output), output)
    target.require_free(marker, overwrite=overwrite)
    scratch = target.sibling()
    scratch.create()
    try:
        with tempfile.TemporaryDirectory(prefix="coordstream-") as files:
            yield OutputFolder(scratch.uri, Path(files))
            scratch.upload(Path(files).iterdir())
        target.require_free(marker, overwrite=overwrite)  # another program may have created it meanwhile
        scratch.replace(target)
    finally:
        with suppress(SparkJobError):  # it would hide the first error
            scratch.delete()


def check_output(output: str, marker: str, *, overwrite: bool) -> None:
    """Raise SparkJobError if `output_folder` would refuse the output; one of another file system is only parsed."""
    local = checked_path(output)
    if local is not None and local.exists():
        is_result = local.is_dir() and (not any(local.iterdir()) or (local / marker).is_file())
        _require_result(output, is_result, overwrite=overwrite)


def _require_result(output: str, is_result: bool, *, overwrite: bool) -> None:
    if not overwrite:
        raise SparkJobError(
            f"Output folder '{output}' exists. Choose another folder, or use --overwrite to replace it."
        )
    if not is_result:
        raise SparkJobError(f"Output folder '{output}' is not an earlier result of this job. Choose another folder.")


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


def folder_uri(output: str) -> str:
    """The URI of an output folder for Spark: a bare path would be in the cluster's default file system."""
    local = checked_path(output)
    return output.rstrip("/") if local is None else hadoop_uri(local)


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


class HadoopFolder:
    """A folder of a file system that Spark reaches through Hadoop, such as HDFS or an object store, by its URI.

    Every method raises SparkJobError if the file system fails or is unreachable. ``output`` is what messages name.
    """

    def __init__(self, spark: SparkSession, uri: str, output: str) -> None:
        self.uri = uri
        self.output = output
        self._spark = spark
        with self._errors():
            self.path = self._java_path(uri)
            self._files = self.path.getFileSystem(_private(spark.sparkContext, "_jsc").hadoopConfiguration())

    def require_free(self, marker: str, *, overwrite: bool) -> None:
        """Raise SparkJobError if there is something that may not be replaced."""
        with self._errors():
            if not self._files.exists(self.path):
                return
            is_empty = self._files.getFileStatus(self.path).isDirectory() and not self._files.listStatus(self.path)
            is_result = is_empty or self._files.exists(self._java_path(f"{self.uri}/{marker}"))
        _require_result(self.output, is_result, overwrite=overwrite)

    def sibling(self) -> "HadoopFolder":
        """A folder with the same parent and a unique name, not yet created. Spark skips it because of its dot."""
        above, _, name = self.uri.rpartition("/")
        return HadoopFolder(self._spark, f"{above}/.{name}-{uuid4().hex}", self.output)

    def create(self) -> None:
        with self._errors():
            if not self._files.mkdirs(self.path):
                raise _cannot_create(self.output)

    def upload(self, files: Iterable[Path]) -> None:
        with self._errors():
            for file in files:
                self._files.copyFromLocalFile(self._java_path(hadoop_uri(file)), self.path)

    def replace(self, target: "HadoopFolder") -> None:
        """Rename this folder to the target, and delete a former target once that has succeeded."""
        old = target.sibling()
        was_there = target.rename(old)
        is_renamed = False
        try:
            is_renamed = self.rename(target)
        finally:
            if was_there and not is_renamed:
                old.rename(target)
        if not is_renamed:
            raise _cannot_create(target.uri)
        old.delete()

    def rename(self, target: "HadoopFolder") -> bool:
        """Rename this folder to the target, which must not exist. Returns whether that succeeded."""
        with self._errors():
            return bool(self._files.exists(self.path) and self._files.rename(self.path, target.path))

    def delete(self) -> None:
        with self._errors():
            self._files.delete(self.path, True)

    def _java_path(self, uri: str) -> Any:
        return _private(self._spark, "_jvm").org.apache.hadoop.fs.Path(uri)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """As `spark_errors`; says what to add where a file system's jar is missing."""
        try:
            with spark_errors(f"Output '{self.output}' cannot be used"):
                yield
        except SparkJobError as error:
            if not any(words in str(error) for words in _NO_FILE_SYSTEM):
                raise
            raise SparkJobError(
                f"Spark has no file system for '{self.output.partition(':')[0]}:'. Add its jar and credentials to "
                "Spark's configuration, for s3a: spark.jars.packages=org.apache.hadoop:hadoop-aws:VERSION."
            ) from error


def hadoop_uri(path: Path) -> str:
    """The URI of a local path as Spark and Hadoop read it: not percent-encoded, because they take ``%20`` as it is."""
    return f"file://{path.resolve()}"


def _cannot_create(uri: str) -> SparkJobError:
    return SparkJobError(f"The file system cannot create output '{uri}'. Choose another folder.")


def _private(owner: object, name: str) -> Any:
    """Read a private attribute: PySpark has no public API for Hadoop's file systems."""
    return getattr(owner, name)
