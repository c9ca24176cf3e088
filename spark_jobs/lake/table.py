"""The Delta table that is a lake: how it is opened, and how a run is committed. No Spark.

A lake is at a local path, or at a URI of an object store that deltalake reaches with its environment's credentials. A
run is one commit: files, the position of each log (an application transaction whose version is the next offset), and in
the commit's metadata what else a replay needs of the logs.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, Transaction
from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError
from deltalake.transaction import AddAction

from spark_jobs.errors import SparkJobError
from spark_jobs.place import is_lake, local_path

STREAM: Final = "stream_name"
"""The column by which the table is partitioned. Files do not have it."""

_TIME: Final = pa.timestamp("us", tz="UTC")
EVENTS: Final = pa.schema(
    [
        ("incarnation", pa.int32()),
        ("stream_kind", pa.string()),
        ("log_offset", pa.int64()),
        ("record_time", _TIME),
        ("timestamp_ms", pa.int64()),
        ("timestamp_type", pa.int32()),
        ("leader_epoch", pa.int32()),
        ("headers", pa.string()),
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("archived_at", _TIME),
    ]
)
"""The columns of events. `timestamp_ms` is the record's own time, also where `record_time` is null."""

FINGERPRINT: Final = "batch_sha256"
"""A column: the SHA-256 of all events that were written into one file. A compaction of the table keeps it."""

FILE: Final = EVENTS.append(pa.field(FINGERPRINT, pa.string()))
_TABLE: Final = FILE.insert(0, pa.field(STREAM, pa.string()))

_RUNS: Final = "coordstream"
"""The application of a transaction whose version is the number of the run: of two runs at once, one fails."""

_METADATA: Final = "coordstream.logs"
_KEEP_COMMITS: Final = {"delta.enableExpiredLogCleanup": "false"}
_READER_VERSION: Final = 1
_ANSI: Final = re.compile(r"\x1b\[[0-9;]*m")


class LakeError(SparkJobError):
    """A lake is damaged, or cannot be used as asked."""


class LogKey(NamedTuple):
    """One incarnation of a stream."""

    stream_name: str
    incarnation: int

    def __str__(self) -> str:
        return f"{self.stream_name} (incarnation {self.incarnation})"


class LakeFile(NamedTuple):
    """A file of the table; `first` and `last` are its lowest and highest offset, or limits if the table has neither."""

    first: int
    last: int
    size: int
    path: str


@dataclass(frozen=True)
class LakeLog:
    """A log as of a run. The lake has its events below `next_offset` that were in the archive when they were new.

    `events` is their number. `observations` are facts about the log that are not events, such as sweeps, which a replay
    needs: at_offset, kind, key (hex), from_offset, to_offset, observed_at. `horizon` is the offset and the time of a
    retention that had detached events before the lake had them. Times are in ISO 8601.
    """

    stream_name: str
    stream_kind: str
    incarnation: int
    backend: str
    cluster_id: str | None
    topic_id: str | None
    created_at: str
    is_current: bool
    is_complete: bool
    next_offset: int
    observations: list[Any]
    horizon: list[Any] | None
    events: int = 0

    @property
    def key(self) -> LogKey:
        return LogKey(self.stream_name, self.incarnation)


@dataclass(frozen=True)
class Lake:
    """A lake after its runs; `run` 0: there was none yet."""

    uri: str
    table: DeltaTable
    run: int
    logs: Mapping[LogKey, LakeLog]

    def position(self, key: LogKey) -> int:
        """The next offset of a log; 0 if the lake does not have it."""
        return self.table.transaction_version(_app_id(key)) or 0

    def files_of(self, key: LogKey) -> tuple[LakeFile, ...]:
        """The files of a log, by their first offsets. After a compaction they may have other incarnations, too."""
        files = self._files.get(key.stream_name, ())
        return tuple(sorted(file for file, low, high in files if low <= key.incarnation <= high))

    @cached_property
    def _files(self) -> Mapping[str, list[tuple[LakeFile, int, int]]]:
        """The files of each stream, with their lowest and highest incarnation."""
        by_stream: dict[str, list[tuple[LakeFile, int, int]]] = {}
        for add in pa.table(self.table.get_add_actions(flatten=True)).to_pylist():
            bounds = add.get("min.log_offset") or 0, add.get("max.log_offset") or 2**63
            file = LakeFile(*bounds, add["size_bytes"], unquote(add["path"]))
            found = (file, add.get("min.incarnation") or 0, add.get("max.incarnation") or 2**31)
            by_stream.setdefault(add[f"partition.{STREAM}"], []).append(found)
        if unknown := by_stream.keys() - {key.stream_name for key in self.logs}:
            raise LakeError(f"Lake '{shown(self.uri)}' has events of {min(unknown)} that another program has added.")
        return by_stream


def lake_uri(output: str) -> str:
    """The URI of a lake's table, the same in any working directory. Raises LakeError, SparkJobError."""
    local = local_path(output)
    if not output or (local is not None and "%" in str(local.resolve())):
        raise LakeError(f"Invalid path '{output}'. Expected a path without '%', or a URI such as s3://bucket/folder.")
    return output.rstrip("/") if local is None else local.resolve().as_uri()


def shown(uri: str) -> str:
    """The place of a lake for people."""
    return str(local_path(uri) or uri)


def create_lake(output: str) -> None:
    """Make the table, if there is none. Raises LakeError, SparkJobError."""
    with lake_errors(output):
        DeltaTable.create(lake_uri(output), _TABLE, mode="ignore", partition_by=[STREAM], configuration=_KEEP_COMMITS)


def open_lake(output: str) -> Lake:
    """Open a lake. Raises LakeError: there is none, or it cannot be read."""
    uri = lake_uri(output)
    write = f"Write one with `coordstream export --lake {output}`"
    with lake_errors(output):
        try:
            table = DeltaTable(uri)
        except TableNotFoundError:
            is_lake(output)  # raises PermissionError: deltalake sees no table where rights are missing
            raise LakeError(f"'{output}' is not a lake: it has no Delta table. {write}.") from None
        if (protocol := table.protocol()).min_reader_version > _READER_VERSION:
            features = ", ".join(protocol.reader_features or ("no features",))
            raise LakeError(
                f"Lake '{output}' has Delta's reader protocol {protocol.min_reader_version} ({features}) since another "
                f"program changed it, and coordstream reads {_READER_VERSION}. Write a lake into another folder."
            )
        if set(pa.schema(table.schema()).names) != set(_TABLE.names):
            raise LakeError(f"The Delta table '{output}' is not a lake: it has other columns. Choose another folder.")
        run = table.transaction_version(_RUNS) or 0
        return Lake(uri, table, run, _logs_of(output, table, run) if run else {})


def _logs_of(output: str, table: DeltaTable, run: int) -> Mapping[LogKey, LakeLog]:
    for limit in (1, 100, None):  # commits of other programs may have come later
        for commit in table.history(limit):
            if (found := json.loads(commit.get(_METADATA, "{}"))).get("run") == run:
                return {log.key: log for log in (LakeLog(**values) for values in found["logs"])}
    raise LakeError(f"Lake '{output}' lacks the commit of run {run}. Restore its folder _delta_log.")


def commit_run(lake: Lake, files: Iterable[AddAction], logs: Sequence[LakeLog]) -> None:
    """Make the files and positions of a run visible at once. Raises LakeError: another run has come first."""
    moved = [log for log in logs if log.next_offset != lake.position(log.key)]
    metadata = {_METADATA: json.dumps({"run": lake.run + 1, "logs": [asdict(log) for log in logs]})}
    moves = [Transaction(_RUNS, lake.run + 1), *(Transaction(_app_id(log.key), log.next_offset) for log in moved)]
    properties = CommitProperties(custom_metadata=metadata, app_transactions=moves)
    with lake_errors(shown(lake.uri)):
        try:
            lake.table.create_write_transaction(
                list(files), "append", lake.table.schema(), partition_by=[STREAM], commit_properties=properties
            )
        except CommitFailedError:
            lake.table.update_incremental()
            if lake.table.transaction_version(_RUNS) in (None, lake.run):
                raise
            raise LakeError(
                f"Another run has written to lake '{shown(lake.uri)}' meanwhile, so nothing was added. Run it again."
            ) from None


def _app_id(key: LogKey) -> str:
    return f"{_RUNS}:{key.stream_name}:{key.incarnation}"


@contextmanager
def lake_errors(output: str) -> Iterator[None]:
    """Translate errors of deltalake and pyarrow into LakeError."""
    try:
        yield
    except (DeltaError, pa.ArrowException, OSError) as error:
        raise LakeError(f"Lake '{output}' cannot be used: {one_line(error)}.") from error


def one_line(error: Exception) -> str:
    """The message of an error, which may have colours, and a line for each cause."""
    return " ".join(_ANSI.sub("", str(error)).replace("↳", "-").split())[:300].rstrip(".")
