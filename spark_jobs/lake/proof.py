"""Proves that a lake has the events that a retention is going to detach."""

from collections import Counter

from pyspark.sql import SparkSession

from eventlog.postgres.connection import Connection
from projections.retained_events import RetainedEvents
from spark_jobs.lake.manifest import Lake, LakeError, LogKey
from spark_jobs.lake.reader import read_lake, require_intact

_ARCHIVED = "select count(*) from eventlog.event where log_id = %s and log_offset < %s"


class LakeProof:
    """What a lake has of each log, after all of its files were compared with its manifests."""

    def __init__(self, output: str, lake: Lake) -> None:
        self._output = output
        self._lake = lake
        self._rows = Counter[LogKey]()
        for file in lake.files:
            self._rows[file.log] += file.rows

    @classmethod
    def of(cls, spark: SparkSession, output: str) -> "LakeProof":
        """Read a lake, and compare all of its files. Raises LakeError if one was removed or changed."""
        lake = read_lake(spark, output)
        require_intact(spark, output, lake)
        return cls(output, lake)

    def require(self, connection: Connection, retained: RetainedEvents) -> None:
        """Raise LakeError unless the lake has every event of the log up to the horizon that the archive has."""
        log = retained.log
        key = LogKey(log.stream.stream_name, log.incarnation)
        known = self._lake.logs.get(key)
        if known is not None and known.next_offset > retained.horizon_offset:
            (archived,) = connection.execute(_ARCHIVED, (log.log_id, known.next_offset)).fetchone() or (0,)
            if self._rows[key] >= archived:
                return
        raise LakeError(
            f"Lake '{self._output}' lacks events of {key.stream_name} (incarnation {key.incarnation}) that would be "
            f"detached. Run `coordstream spark archive --output {self._output}` first. Nothing was changed."
        )
