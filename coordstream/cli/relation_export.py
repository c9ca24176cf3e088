"""Writes a relation to a Parquet file, with the types of its columns, in batches from one snapshot."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow
import pyarrow.parquet
from psycopg import sql
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg.pq import Format

from coordstream.errors import CoordstreamError
from coordstream.queries.rows import NOW, Cut, Row, cut_values, of_job
from coordstream.relation_columns import RELATION_COLUMNS
from eventlog.atomic_file import atomic_file, cannot_write
from eventlog.errors import known_names
from eventlog.postgres.connection import Connection, lift_timeouts, snapshot
from projections.job_choice import Job

GROUP_ROWS: Final = 16_384
GROUP_BYTES: Final = 8 << 20
"""A row group is written when there are this many rows, or when their texts have about this many bytes."""

_UNIX_MICROS: Final = 946_684_800_000_000
"""Microseconds from 1970 to 2000, where the binary format of timestamptz begins."""

_LARGEST: Final = 2**63 - 1
_INFINITY: Final = (_LARGEST, -_LARGEST - 1)
"""How the binary format writes infinity and -infinity."""

_TYPES: Final = {
    "bigint": pyarrow.int64(),
    "boolean": pyarrow.bool_(),
    "integer": pyarrow.int32(),
    "text": pyarrow.string(),
    "timestamp with time zone": pyarrow.timestamp("us", "UTC"),
}
_POSTGRES_TYPES: Final = {arrow: name for name, arrow in _TYPES.items()}
_JOBS: Final = "select distinct job_name, job_id from projection.current_job order by 1, 2"
_HAS_FUNCTION: Final = "select to_regproc(%s) is not null"


class _MicrosLoader(Loader):
    """Loads timestamptz as microseconds since 1970, which Arrow uses. None: infinite, or beyond Arrow."""

    format = Format.BINARY

    def load(self, data: Buffer) -> int | None:
        since_2000 = int.from_bytes(data, "big", signed=True)
        micros = since_2000 + _UNIX_MICROS
        return None if since_2000 in _INFINITY or micros > _LARGEST else micros


def export_relation(connection: Connection, relation: str, job: Job | None, cut: Cut, path: Path) -> int:
    """Write the rows of a relation to a Parquet file, which is replaced at the end, and return their count.

    ``job`` None: those of all jobs. Raises `CoordstreamError`: there is no such relation, or it has no as-of function,
    or the file cannot be written.
    """
    if relation not in RELATION_COLUMNS:
        raise CoordstreamError(f'No relation "{relation}".{known_names("relations", relation, RELATION_COLUMNS)}')
    schema = pyarrow.schema([(name, _TYPES[kind]) for name, kind in RELATION_COLUMNS[relation].items()])
    with snapshot(connection):
        lift_timeouts(connection, "local")
        queries = _queries(connection, relation, job, cut)
        try:
            with atomic_file(path) as file, pyarrow.parquet.ParquetWriter(file, schema) as writer:
                return sum(_write(writer, group) for group in _groups(connection, schema, queries))
        except OSError as error:
            raise CoordstreamError(cannot_write(path, error)) from None


def _queries(connection: Connection, relation: str, job: Job | None, cut: Cut) -> list[tuple[sql.Composable, Row]]:
    """A query, or one for each job if an as-of function is called for all of them."""
    if cut == NOW and job is None:
        return [(sql.SQL("select * from {}").format(sql.Identifier("coordinator", relation)), {})]
    if cut != NOW:
        function = f"{relation}_as_of"
        ((has_function,),) = connection.execute(_HAS_FUNCTION, (f"coordinator.{function}",)).fetchall()
        if not has_function:
            raise CoordstreamError(f"The relation {relation} has no function {function}. Leave out --as-of.")
    jobs = [Job(*row) for row in connection.execute(_JOBS).fetchall()] if job is None else [job]
    return [(of_job(relation, cut), cut_values(each, cut)) for each in jobs]


def _groups(
    connection: Connection, schema: pyarrow.Schema, queries: Sequence[tuple[sql.Composable, Row]]
) -> Iterator[pyarrow.RecordBatch]:
    for query, values in queries:
        for rows in _bounded(_rows(connection, schema, query, values)):
            columns = zip(*rows, strict=True)
            arrays = [pyarrow.array(each, field.type) for each, field in zip(columns, schema, strict=True)]
            yield pyarrow.RecordBatch.from_arrays(arrays, schema=schema)


def _rows(
    connection: Connection, schema: pyarrow.Schema, query: sql.Composable, values: Row
) -> Iterator[tuple[Any, ...]]:
    """The rows of a query. COPY sends one at a time, where a cursor fetches many, whatever their size."""
    statement = sql.SQL("copy ({}) to stdout (format binary)").format(query)
    with connection.cursor() as cursor:
        cursor.adapters.register_loader("timestamptz", _MicrosLoader)
        with cursor.copy(statement, values) as copy:
            copy.set_types([_POSTGRES_TYPES[field.type] for field in schema])
            yield from copy.rows()


def _bounded(rows: Iterable[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    """The rows in lists that end at ``GROUP_ROWS`` or ``GROUP_BYTES``."""
    batch, size = list[tuple[Any, ...]](), 0
    for row in rows:
        batch.append(row)
        size += sum(len(value) for value in row if isinstance(value, str))
        if len(batch) >= GROUP_ROWS or size >= GROUP_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _write(writer: Any, group: pyarrow.RecordBatch) -> int:
    writer.write_batch(group)
    return int(group.num_rows)
