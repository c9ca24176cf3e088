"""Partitions by offset range: made when a batch first reaches them."""

from collections.abc import Iterable
from typing import Final

from eventlog.postgres.connection import Connection

PARTITION_OFFSETS: Final = 10_000_000
"""How many offsets a partition holds; `eventlog.ensure_partition` in the database knows it too."""


def ranges_of(offsets: Iterable[int]) -> list[int]:
    """First offsets of the ranges that these offsets fall into, in order."""
    return sorted({offset // PARTITION_OFFSETS * PARTITION_OFFSETS for offset in offsets})


def ensure_partition(connection: Connection, schema: str, table: str, first: int) -> None:
    """Make the partition of a table that begins at an offset, unless it is there."""
    connection.execute("select eventlog.ensure_partition(%s, %s, %s)", (schema, table, first))
