"""Where steered jobs write: each batch is one transaction, which also moves the job's position in the sink."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame

from eventlog.partition import SystemStreamPartition
from managers.steered.steered_job import Committed, SteeredBatch
from spark_jobs.errors import spark_errors
from spark_jobs.session import count_cores

Batches = Iterator[pa.RecordBatch]
Write = Callable[[pa.Schema, Batches], Mapping[str, object]]
"""Writes the rows of one attempt of a task, if it has any, and returns what the driver has to know of them."""


class Sink(ABC):
    """The output of one steered job. `PostgresSink` and `DeltaSink` implement it."""

    @abstractmethod
    def open(self, job_name: str, job_id: str, partitions: Sequence[SystemStreamPartition]) -> Committed:
        """Take the job over from any other copy, and return what its last batch has left here of these partitions.

        Raises `SparkJobError`: the sink cannot be used.
        """

    @abstractmethod
    def commit(self, batch: SteeredBatch, output: DataFrame | None) -> None:
        """Write the output of a batch and the places after it, both or neither. None: there is no output.

        Raises `JobTakenOver`: another copy of the job has opened the sink; `SparkJobError`: it cannot be written.
        """

    @abstractmethod
    def close(self) -> None:
        """Close connections, and remove what is staged."""


def run_tasks(batch: SteeredBatch, output: DataFrame, write: Write, result: str) -> list[Any]:
    """Let tasks, one per core, write the rows of a batch's output, and return what the successful attempts say of them.

    Spark may run a task twice; the rows of an attempt whose result is not returned are not to be used.
    """
    with spark_errors(f"Cannot compute {batch}"):
        rows = output.coalesce(count_cores(output.sparkSession))
        numbered = rows.toDF(*map(str, range(len(output.columns))))  # mapInArrow finds no column with a dot in its name
        return numbered.mapInArrow(partial(_write_rows, write, output.columns), result).collect()


def _write_rows(write: Write, names: Sequence[str], batches: Batches) -> Batches:
    named = (pa.RecordBatch.from_arrays(batch.columns, names) for batch in batches)
    first = next(named, None)
    if first is not None:
        result = write(first.schema, chain([first], named))
        yield pa.RecordBatch.from_pylist([result])
