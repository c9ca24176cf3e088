"""A Delta table as the sink of a steered job: executors write files, one commit adds them with the job's position.

The position is in application transactions of the table: the number of the last batch, the number of the copy of the
job that writes, and the place of each partition. Delta rejects a commit if another one has changed these meanwhile.
"""

import json
import os
import re
from collections.abc import Sequence
from functools import partial
from typing import Final
from uuid import uuid4

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, Transaction
from deltalake.exceptions import CommitFailedError, TableNotFoundError
from deltalake.transaction import AddAction
from pyarrow import parquet
from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from eventlog.partition import SystemStreamPartition
from eventlog.timestamps import current_ms
from managers.steered.steered_job import Committed, JobTakenOver, Places, SteeredBatch
from spark_jobs.errors import SparkJobError
from spark_jobs.lake.log_files import files_of
from spark_jobs.lake.table import lake_errors, lake_uri, shown
from spark_jobs.steered.sink import Batches, Sink, run_tasks

_RULES: Final = re.compile(r'"nullable":false|"delta\.(?:columnMapping\.p|constraints|generation|invariants)[^"]*"')
"""What the metadata of a table may ask for, and files of this sink do not follow."""


class DeltaSink(Sink):
    """Appends each batch to a Delta table, in the commit that moves the job's position.

    ``path`` is local, or a URI of an object store that deltalake reaches. The table has the columns that ``process``
    returns, and no partitions, constraints, column mapping, or generated columns.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Raises SparkJobError: the path is invalid."""
        self._uri = lake_uri(os.fspath(path))
        self._app = ""
        self._copy = 0
        self._table: DeltaTable
        self._places: Places = {}

    def open(self, job_name: str, job_id: str, partitions: Sequence[SystemStreamPartition]) -> Committed:
        """See `Sink.open`."""
        self._app = f"coordstream:{job_name}/{job_id}"
        with lake_errors(shown(self._uri)):
            try:
                self._table = table = DeltaTable(self._uri)
            except TableNotFoundError:
                raise SparkJobError(f"The sink '{shown(self._uri)}' is not a Delta table. Create it first.") from None
            metadata = table.metadata()
            rules = _RULES.findall(f"{table.schema().to_json()} {json.dumps(metadata.configuration)}")
            if excluded := [*(f"partition column {each}" for each in metadata.partition_columns), *rules]:
                raise SparkJobError(
                    f"The Delta table '{shown(self._uri)}' has {', '.join(excluded)}, which DeltaSink does not "
                    "support. Use a table without partitions, constraints, column mapping, and generated columns."
                )
            self._copy = self._version(":copy") + 1
            found = {each: table.transaction_version(f"{self._app}:{each}") for each in partitions}
            self._places = {each: offset for each, offset in found.items() if offset is not None}
            self._commit(f"{job_name}/{job_id}", [], [])
            return Committed(self._version(""), self._places)

    def commit(self, batch: SteeredBatch, output: DataFrame | None) -> None:
        """See `Sink.commit`."""
        files = [] if output is None else self._write(batch, output)
        moved = batch.places.items() - self._places.items()
        with lake_errors(shown(self._uri)):
            self._table.update_incremental()
            if self._version(":copy") != self._copy:
                raise JobTakenOver(batch.job)
            places = [Transaction(f"{self._app}:{each}", next_offset) for each, next_offset in moved]
            self._commit(batch.job, files, [Transaction(self._app, batch.number), *places])
        self._places = batch.places

    def close(self) -> None:
        """See `Sink.close`. Files of a batch that was not committed belong to no version; a vacuum deletes them."""

    def _write(self, batch: SteeredBatch, output: DataFrame) -> list[AddAction]:
        own = StructType.fromJson(json.loads(self._table.schema().to_json())).simpleString()
        if own != (given := output.schema.simpleString()):
            raise SparkJobError(
                f"The Delta table '{shown(self._uri)}' has the columns {own}, but `process` returned {given}. "
                "Return the table's columns, or change the table."
            )
        now = current_ms()
        columns = "path string, bytes bigint, records bigint"
        written = run_tasks(batch, output, partial(_write_file, self._uri), columns)
        return [
            AddAction(path, size, {}, now, True, json.dumps({"numRecords": records})) for path, size, records in written
        ]

    def _commit(self, job: str, files: list[AddAction], moves: Sequence[Transaction]) -> None:
        """Add files and set the position, unless another copy has come first."""
        of_copy = Transaction(f"{self._app}:copy", self._copy)
        properties = CommitProperties(app_transactions=[of_copy, *moves])
        table, before = self._table, self._version(":copy")
        try:
            table.create_write_transaction(list(files), "append", table.schema(), commit_properties=properties)
        except CommitFailedError:
            table.update_incremental()
            if self._version(":copy") == before:
                raise
            raise JobTakenOver(job) from None

    def _version(self, name: str) -> int:
        return self._table.transaction_version(f"{self._app}{name}") or 0


def _write_file(uri: str, schema: pa.Schema, batches: Batches) -> dict[str, object]:
    """Write the rows into a file; return its path, bytes and records."""
    path, records = f"{uuid4().hex}.parquet", 0
    with files_of(uri).open_output_stream(path) as file:
        with parquet.ParquetWriter(file, schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
                records += len(batch)
        return {"path": path, "bytes": file.tell(), "records": records}
