"""Partitions of tables by offset range, created when a batch first reaches them."""

from collections.abc import Iterable
from typing import Final

from eventlog.postgres.connection import Connection

PARTITION_OFFSETS: Final = 10_000_000
"""Offsets in a partition; the database function ``eventlog.ensure_partition`` has the same number."""


def ranges_of(offsets: Iterable[int]) -> list[int]:
    """The first offset of each range that has one of these offsets, in order."""
    return sorted({offset // PARTITION_OFFSETS * PARTITION_OFFSETS for offset in offsets})


def ensure_partition(connection: Connection, schema: str, table: str, first: int) -> None:
    """Create the partition of a table that starts at an offset, unless it exists."""
    connection.execute("select eventlog.ensure_partition(%s, %s, %s)", (schema, table, first))
