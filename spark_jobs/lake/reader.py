"""Reads a lake that `coordstream spark archive` wrote, on any file system of Spark, also with Spark Connect."""

from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from typing import Final
from urllib.parse import unquote

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_jobs.errors import SparkJobError, file_system_errors
from spark_jobs.lake.files import SCHEMA
from spark_jobs.lake.manifest import (
    EVENTS,
    MANIFESTS,
    Lake,
    LogKey,
    changed_file,
    from_json,
    merge_manifests,
    not_a_lake,
    require_files,
)
from spark_jobs.output_folder import folder_uri, local_path

LOG_COLUMNS: Final = ("stream_name", "incarnation")
_MISSING: Final = "PATH_NOT_FOUND"


def read_lake(spark: SparkSession, output: str) -> Lake:
    """Read the manifests of a lake. Its files are checked by `require_intact` and `lake_events`.

    Raises:
        LakeError: There is no lake, or a manifest is damaged.
        SparkJobError: Spark cannot read the folder.
    """
    lake = find_lake(spark, output)
    if not lake.number:
        raise not_a_lake(output)
    return lake


def find_lake(spark: SparkSession, output: str) -> Lake:
    """As `read_lake`, but a lake without manifests where there is none yet."""
    with lake_errors(output):
        try:
            contents = _read_files(spark, f"{folder_uri(output)}/{MANIFESTS}")
        except AnalysisException as error:
            if error.getCondition() != _MISSING:
                raise
            contents = {}
    return merge_manifests(output, [from_json(content, path) for path, content in contents.items()])


def _read_files(spark: SparkSession, folder: str) -> dict[str, bytes]:
    """The contents of all files below a folder, by path. Spark's own result has no rows for empty files."""
    files = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(folder)
    contents = {row.path: bytes(row.content) for row in files.select("path", "content").collect()}
    names = {path.rpartition("/")[2] for path in contents}
    return contents | {path: b"" for path in files.inputFiles() if path.rpartition("/")[2] not in names}


def require_intact(spark: SparkSession, output: str, lake: Lake) -> None:
    """Compare the size and the SHA-256 of every file of events with the manifests.

    Raises:
        LakeError: A file was removed or changed; the message names it.
    """
    if not lake.files:
        return
    try:
        with lake_errors(output):
            found = list_files(spark, output, {file.path.split("/")[1] for file in lake.files})
    except SparkJobError as error:  # a file system with checksums of its own refuses to read a changed file
        reason = str(error.__cause__)
        changed = next((file for file in lake.files if "Checksum error" in reason and file.path in reason), None)
        if changed is None:
            raise
        raise changed_file(output, changed) from error
    require_files(output, lake, found)


def lake_events(
    spark: SparkSession,
    output: str,
    lake: Lake,
    logs: Collection[LogKey] | None = None,
    *,
    partitions: int | None = None,
) -> DataFrame:
    """The events of these logs, or of all, with the columns of `spark_jobs.lake.files.SCHEMA`.

    With ``partitions``, the rows are distributed so that each log is in one partition, contiguous and in offset order:
    ``mapInArrow`` then reads one log after the other with `spark_jobs.lake.files.logs_in`. Check the files with
    `require_intact`.
    """
    files = lake.files_of(lake.logs if logs is None else logs)
    root = folder_uri(output)
    with lake_errors(output):
        reader = spark.read.schema(SCHEMA).option("basePath", f"{root}/{EVENTS}")
        frame = reader.parquet(*(f"{root}/{file.path}" for file in files)) if files else _no_events(spark)
        frame = frame.select(*_columns(spark))
        if partitions is None:
            return frame
        return frame.repartition(partitions, *LOG_COLUMNS).sortWithinPartitions(*LOG_COLUMNS, "log_offset")


def list_files(spark: SparkSession, output: str, runs: Collection[str]) -> Mapping[str, tuple[int, str]]:
    """Size and SHA-256 of the Parquet files of these runs, by their path in the lake. Executors read the files."""
    root = folder_uri(output)
    reader = spark.read.format("binaryFile").options(recursiveFileLookup="true", pathGlobFilter="*.parquet")
    files = reader.load([f"{root}/{EVENTS}/{run}" for run in sorted(runs)])
    rows = files.select("path", "length", sf.sha2("content", 256).alias("sha256")).collect()
    return {path_in_lake(row.path): (row.length, row.sha256) for row in rows}


def path_in_lake(uri: str) -> str:
    """The path of a file of events below the lake's folder."""
    marker = f"/{EVENTS}/run="
    return EVENTS + "/run=" + uri.rpartition(marker)[2]


def decoded_path(uri: str) -> str:
    """As `path_in_lake`, of a percent-encoded URI."""
    return path_in_lake(unquote(uri))


def absolute_folder(output: str) -> str:
    """A lake's folder for `files.read_log` in any working directory: an absolute path, or the URI. Raises as above."""
    local = local_path(output)
    return output if local is None else str(local.resolve())


def lake_errors(output: str) -> AbstractContextManager[None]:
    """Translate errors of Spark into one sentence; one of its own where a file system's jar is missing."""
    return file_system_errors("Lake", output)


def _no_events(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame([], SCHEMA)


def _columns(spark: SparkSession) -> list[str]:
    return _no_events(spark).columns
