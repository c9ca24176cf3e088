"""Postgres as the sink of a steered job: executors stage the rows of a batch, one transaction moves them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Final
from uuid import uuid4

import psycopg
import pyarrow as pa
from psycopg import sql
from psycopg.errors import CharacterNotInRepertoire
from pyarrow import csv
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf
from pyspark.sql.types import StructField, StructType

from eventlog.partition import SystemStreamPartition
from eventlog.postgres.connection import Connection, connect, failure_line, server_reason
from eventlog.postgres.sink_position import SinkPosition
from managers.steered.steered_job import Committed, JobTakenOver, SteeredBatch
from spark_jobs.errors import SparkJobError
from spark_jobs.steered.sink import Batches, Sink, run_tasks

_TYPES: Final = {
    "string": "text",
    "binary": "bytea",
    "boolean": "boolean",
    "tinyint": "smallint",
    "smallint": "smallint",
    "int": "integer",
    "bigint": "bigint",
    "float": "real",
    "double": "double precision",
    "date": "date",
    "timestamp": "timestamptz",
    "timestamp_ntz": "timestamp",
}
_HAS: Final = "select to_regclass(%s) is not null"
_DROP: Final = sql.SQL("drop table if exists {} cascade")
_CREATE: Final = sql.SQL("create unlogged table {} (_steered_attempt text, {})")
_ATTEMPTS: Final = "create temp table steered_attempt (_steered_attempt text) on commit delete rows"
_VIEW: Final = sql.SQL(
    "create temp view batch as select {columns} from {stage} join steered_attempt using (_steered_attempt)"
)
_SUCCEEDED: Final = "insert into steered_attempt select unnest(%s::text[])"
_INSERT: Final = sql.SQL("insert into {table} ({columns}) select {columns} from batch")


class PostgresSink(Sink):
    """Inserts each batch into a table, or runs a statement of yours, in the transaction that moves the job's position.

    >>> PostgresSink("clicks", url="postgresql://…")
    >>> PostgresSink(url="postgresql://…", statement='''
    ...     insert into clicks_per_user select user_name, count(*) from batch group by 1
    ...     on conflict (user_name) do update set clicks = clicks_per_user.clicks + excluded.clicks''')

    In the statement, ``batch`` is a view of the rows. Columns of complex types are refused. The position is in the
    table ``steered_position``, which the first start creates.
    """

    def __init__(self, table: str | None = None, *, url: str, statement: str | None = None) -> None:
        """``table`` may have a schema, as in ``sales.clicks``. Raises SparkJobError: not one of both is given."""
        if (table is None) == (statement is None):
            raise SparkJobError("A PostgresSink needs either a table or a statement. Pass one of them.")
        self._table = sql.Identifier(*(table or "").split("."))
        self._statement = statement
        self._url = url
        self._connection: Connection | None = None
        self._position: SinkPosition | None = None
        self._stage = _stage_of("")
        self._staged: StructType | None = None

    def open(self, job_name: str, job_id: str, _: Sequence[SystemStreamPartition]) -> Committed:
        """See `Sink.open`."""
        self.close()
        with _sink_errors():
            self._connection = connect(self._url, application_name=f"coordstream steered {job_name}/{job_id}")
            name = self._table.as_string()
            if self._statement is None and self._connection.execute(_HAS, (name,)).fetchone() != (True,):
                raise SparkJobError(f"The sink has no table {name}. Create it first.")
            self._connection.execute(_ATTEMPTS)
            self._position = SinkPosition(job_name, job_id)
            self._stage = _stage_of(self._position.copy_id)
            taken = self._position.take(self._connection)
            self._connection.execute(_DROP.format(_stage_of(taken.copy_id)))  # a copy that was killed has left it
        return Committed.of_json(taken.batch, taken.places)

    def commit(self, batch: SteeredBatch, output: DataFrame | None) -> None:
        """See `Sink.commit`."""
        connection, position = self._connection, self._position
        if connection is None or position is None:
            raise SparkJobError("The sink is not open. Run the job again.")
        try:
            attempts = [] if output is None else self._write(connection, batch, output)
        except SparkJobError:
            with _sink_errors():
                holder = position.other_holder(connection)
            if holder:  # it has dropped the stage
                raise JobTakenOver(batch.job, holder) from None
            raise
        with _sink_errors(), connection.transaction():
            if not position.move(connection, batch.number, batch.places_json()):
                raise JobTakenOver(batch.job, position.other_holder(connection))
            if output is not None:
                connection.execute(_SUCCEEDED, (attempts,))
                connection.execute(self._move(output.columns))
                connection.execute(sql.SQL("truncate {}").format(self._stage))

    def close(self) -> None:
        """See `Sink.close`."""
        connection, self._connection, self._staged = self._connection, None, None
        if connection is not None:
            with suppress(psycopg.Error), connection:  # the next start drops it, too
                connection.execute(_DROP.format(self._stage))

    def _write(self, connection: Connection, batch: SteeredBatch, output: DataFrame) -> list[str]:
        """Stage the rows, and return the attempts of tasks that have succeeded."""
        if self._staged != output.schema:
            with _sink_errors():
                self._create_stage(connection, output.schema)
            self._staged = output.schema
        copy = sql.SQL("copy {} from stdin (format csv)").format(self._stage).as_string()
        rows = output.select([_text_column(each) for each in output.schema])
        return [row.attempt for row in run_tasks(batch, rows, partial(_stage_rows, self._url, copy), "attempt string")]

    def _create_stage(self, connection: Connection, schema: StructType) -> None:
        names = sql.SQL(", ").join(sql.Identifier(each.name) for each in schema)
        columns = [sql.SQL("{} {}").format(sql.Identifier(each.name), sql.SQL(_type_of(each))) for each in schema]
        with connection.transaction():
            connection.execute(_DROP.format(self._stage))
            connection.execute(_CREATE.format(self._stage, sql.SQL(", ").join(columns)))
            connection.execute(_VIEW.format(columns=names, stage=self._stage))

    def _move(self, columns: Sequence[str]) -> sql.Composed | bytes:
        if self._statement is not None:
            return self._statement.encode()
        names = sql.SQL(", ").join(map(sql.Identifier, columns))
        return _INSERT.format(table=self._table, columns=names)


def _stage_of(copy_id: str) -> sql.Identifier:
    return sql.Identifier(f"steered_stage_{copy_id}")


def _type_of(column: StructField) -> str:
    name = column.dataType.simpleString()
    if name.startswith("decimal"):
        return name.replace("decimal", "numeric")
    if name not in _TYPES:
        raise SparkJobError(
            f"Column {column.name} has type {name}, which a PostgresSink does not write. Convert it in `process`, for "
            "example with to_json for a column of type text."
        )
    return _TYPES[name]


def _text_column(column: StructField) -> Column:
    """The column as values that Arrow writes into CSV, in Postgres's own format."""
    name = column.dataType.simpleString()
    found = sf.col(f"`{column.name.replace('`', '``')}`")
    if name == "binary":
        return sf.concat(sf.lit("\\x"), sf.hex(found)).alias(column.name)
    return found.cast("string").alias(column.name) if name.startswith("decimal") else found


@contextmanager
def _sink_errors() -> Iterator[None]:
    """Translate errors of Postgres into SparkJobError, without values."""
    try:
        yield
    except CharacterNotInRepertoire:
        raise SparkJobError(
            "The sink refused a text that has a NUL or is not UTF-8. Clean it in `process`, or write it as binary into "
            "a column of type bytea."
        ) from None
    except psycopg.Error as error:
        if isinstance(error, psycopg.ProgrammingError) and error.sqlstate is None:  # its text may have the password
            raise SparkJobError("Invalid URL of the sink. Expected postgresql://user:password@host/name.") from None
        raise SparkJobError(f"The sink cannot be written: {server_reason(error) or failure_line(error)}.") from None


@_sink_errors()
def _stage_rows(url: str, copy: str, _: pa.Schema, batches: Batches) -> dict[str, object]:
    """Copy the rows into the stage; return their attempt."""
    attempt = uuid4().hex
    with connect(url, application_name="coordstream steered task") as connection, connection.cursor().copy(copy) as to:
        for batch in batches:
            to.write(_to_csv(attempt, batch))
    return {"attempt": attempt}


def _to_csv(attempt: str, batch: pa.RecordBatch) -> pa.Buffer:
    names = [str(number) for number in range(batch.num_columns + 1)]
    columns = [pa.repeat(attempt, len(batch)), *map(_in_utc, batch.columns)]
    sink = pa.BufferOutputStream()
    options = csv.WriteOptions(include_header=False, quoting_style="all_valid")
    csv.write_csv(pa.table(columns, names), sink, options)
    return sink.getvalue()


def _in_utc(column: pa.Array) -> pa.Array:
    has_zone = pa.types.is_timestamp(column.type) and column.type.tz is not None
    return column.cast(pa.timestamp("us", "UTC")) if has_zone else column
