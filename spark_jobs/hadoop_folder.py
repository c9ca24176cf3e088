"""A folder of a file system that Spark reaches through Hadoop, such as HDFS or an object store."""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from uuid import uuid4

from pyspark.sql import SparkSession

from spark_jobs.errors import SparkJobError
from spark_jobs.session import spark_failures


class HadoopFolder:
    """A folder by its URI. Every call raises SparkJobError where the file system refuses or can't be reached.

    ``output`` is what errors name, if it is another URI.
    """

    def __init__(self, spark: SparkSession, uri: str, output: str | None = None) -> None:
        self.uri = uri
        self._output = output or uri
        self._spark = spark
        self.path = self._java_path(uri)
        with self._failures():
            self._files = self.path.getFileSystem(_private(spark.sparkContext, "_jsc").hadoopConfiguration())

    def exists(self) -> bool:
        """Whether there is a folder or file of this name."""
        with self._failures():
            return bool(self._files.exists(self.path))

    def is_empty(self) -> bool:
        """Whether it is a folder that holds nothing."""
        with self._failures():
            status = self._files.getFileStatus(self.path)
            return bool(status.isDirectory()) and len(self._files.listStatus(self.path)) == 0

    def holds(self, name: str) -> bool:
        """Whether it holds a file of this name."""
        with self._failures():
            return bool(self._files.exists(self._java_path(f"{self.uri}/{name}")))

    def beside(self) -> "HadoopFolder":
        """A folder beside this one, with a name of its own that Spark passes over when it lists; it is not made."""
        above, _, name = self.uri.rpartition("/")
        return HadoopFolder(self._spark, f"{above}/.{name}-{uuid4().hex}", self._output)

    def make(self) -> None:
        """Make the folder, and those above it."""
        with self._failures():
            if not self._files.mkdirs(self.path):
                raise _refused(self._output)

    def upload(self, files: Iterable[Path]) -> None:
        """Copy files of this machine into the folder."""
        with self._failures():
            for file in files:
                self._files.copyFromLocalFile(self._java_path(file.as_uri()), self.path)

    def move_to(self, target: "HadoopFolder") -> None:
        """Give this folder the name of another one, which is deleted once that is done."""
        old = target.beside()
        is_replaced = target.exists() and target.rename(old)
        is_done = False
        try:
            is_done = self.rename(target)
        finally:
            if is_replaced and not is_done:
                old.rename(target)
        if not is_done:
            raise _refused(target.uri)
        old.delete()

    def rename(self, target: "HadoopFolder") -> bool:
        """Whether the folder has the name of another one now, of which there must be none."""
        with self._failures():
            return bool(self._files.rename(self.path, target.path))

    def delete(self) -> None:
        """Delete the folder; does no harm where it is gone already."""
        with self._failures():
            self._files.delete(self.path, True)

    def _java_path(self, uri: str) -> Any:
        with self._failures():
            return _private(self._spark, "_jvm").org.apache.hadoop.fs.Path(uri)

    def _failures(self) -> AbstractContextManager[None]:
        return spark_failures(f"Output {self._output} cannot be used")


def _refused(uri: str) -> SparkJobError:
    return SparkJobError(f"Output {uri} cannot be made: its file system refuses; choose another folder.")


def _private(owner: object, name: str) -> Any:
    """PySpark has no public way to Hadoop's file systems."""
    return getattr(owner, name)
