"""A folder of a file system that Spark reaches through Hadoop, such as HDFS or an object store."""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from uuid import uuid4

from pyspark.sql import SparkSession

from spark_jobs.errors import SparkJobError
from spark_jobs.spark_errors import file_system_errors


class HadoopFolder:
    """A folder, identified by its URI. Every method raises SparkJobError if the file system fails or is unreachable.

    ``output`` is the URI that error messages name (default: ``uri``).
    """

    def __init__(self, spark: SparkSession, uri: str, output: str | None = None) -> None:
        self.uri = uri
        self._output = output or uri
        self._spark = spark
        self.path = self._java_path(uri)
        with self._errors():
            self._files = self.path.getFileSystem(_private(spark.sparkContext, "_jsc").hadoopConfiguration())

    def exists(self) -> bool:
        """Whether the URI is an existing folder or file."""
        with self._errors():
            return bool(self._files.exists(self.path))

    def is_empty(self) -> bool:
        """Whether the URI is an empty folder."""
        with self._errors():
            status = self._files.getFileStatus(self.path)
            return bool(status.isDirectory()) and len(self._files.listStatus(self.path)) == 0

    def contains(self, name: str) -> bool:
        """Whether the folder contains a file of this name."""
        with self._errors():
            return bool(self._files.exists(self._java_path(f"{self.uri}/{name}")))

    def sibling(self) -> "HadoopFolder":
        """A folder with the same parent and a unique name, not yet created. Spark skips it because of its dot."""
        above, _, name = self.uri.rpartition("/")
        return HadoopFolder(self._spark, f"{above}/.{name}-{uuid4().hex}", self._output)

    def create(self) -> None:
        """Create the folder and its parents."""
        with self._errors():
            if not self._files.mkdirs(self.path):
                raise _cannot_create(self._output)

    def upload(self, files: Iterable[Path]) -> None:
        """Copy local files into the folder."""
        with self._errors():
            for file in files:
                self._files.copyFromLocalFile(self._java_path(hadoop_uri(file)), self.path)

    def replace(self, target: "HadoopFolder") -> None:
        """Rename this folder to the target, and delete a former target once that has succeeded."""
        old = target.sibling()
        was_there = target.exists() and target.rename(old)
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
            return bool(self._files.rename(self.path, target.path))

    def delete(self) -> None:
        """Delete the folder if it exists."""
        with self._errors():
            self._files.delete(self.path, True)

    def _java_path(self, uri: str) -> Any:
        with self._errors():
            return _private(self._spark, "_jvm").org.apache.hadoop.fs.Path(uri)

    def _errors(self) -> AbstractContextManager[None]:
        return file_system_errors("Output", self._output)


def hadoop_uri(path: Path) -> str:
    """The URI of a local path as Spark and Hadoop read it: not percent-encoded, because they take ``%20`` as it is."""
    return f"file://{path.resolve()}"


def _cannot_create(uri: str) -> SparkJobError:
    return SparkJobError(f"The file system cannot create output '{uri}'. Choose another folder.")


def _private(owner: object, name: str) -> Any:
    """Read a private attribute: PySpark has no public API for Hadoop's file systems."""
    return getattr(owner, name)
