"""Events of the archive read by Spark: the data source `coordinator_stream` beside the JDBC driver."""

import os
import time
from collections.abc import Callable, Mapping
from typing import Final

from pyspark.sql import DataFrame, SparkSession

from benchmarks.markdown import Lines, spread, table
from benchmarks.server import BenchmarkServer
from coordstream.settings import load_settings
from eventlog.postgres.connection import connect
from eventlog.secret_policy import SecretPolicy
from spark_jobs.data_source.access import Access
from spark_jobs.data_source.source import register
from spark_jobs.jars import postgres_driver
from spark_jobs.relations.settings import FETCH_SIZE, jdbc_address
from spark_jobs.session import build_session, jar_conf

CORES: Final = 2
JDBC: Final = "JDBC, raw columns"
RAW: Final = "data source, raw columns"
ALL: Final = "data source, decoded columns too"

_RAW: Final = "log_offset bigint, record_time timestamp, key binary, value binary"
_LOG: Final = """
insert into eventlog.log (backend, stream_name, stream_kind, incarnation, created_at)
values ('kafka', '__samza_coordinator_orders_1', 'coordinator', 1, now())
"""
_EVENTS: Final = """
insert into eventlog.event (log_id, log_offset, record_time, archived_at, key, value)
select 1, n, timestamptz '2026-01-01 00:00:00+00' + n * interval '1 ms', now(),
       convert_to(format('[1,"set-config","key.%%s"]', n %% 500), 'UTF8'),
       convert_to(format('{"host":"h","source":"s","values":{"value":"%%s"},"username":"u","timestamp":1767225600000}',
                         md5(n::text)), 'UTF8')
from generate_series(0, %s - 1) as n
"""
_PARTITIONS: Final = "select eventlog.ensure_partition('eventlog', 'event', n) from generate_series(0, %s, 10000000) n"

Rates = Mapping[str, list[float]]


def measure_event_reads(server: BenchmarkServer, events: int, rounds: int) -> Rates:
    """Events per second of each way, in turns, after a round that is not counted."""
    jar = postgres_driver(load_settings().jar_cache, os.environ)
    spark = build_session("benchmarks", {"spark.master": f"local[{CORES}]", **jar_conf(jar)})
    try:
        with server.database("event_reads") as url:
            _fill(url, events)
            register(spark, Access(SecretPolicy(b"a key of the benchmarks"), url))
            return _measure(_ways(spark, url, events), events, rounds)
    finally:
        spark.stop()


def event_reads_report(rates: Rates, events: int, machine: str) -> Lines:
    """Rates, and their ratio to JDBC's in the same round."""
    rows = (
        (way, spread(found), spread([one / jdbc for one, jdbc in zip(found, rates[JDBC], strict=True)], 2))
        for way, found in rates.items()
    )
    about = f"{events:,} config events of one log, read by `local[{CORES}]` with {CORES} connections; nothing is kept."
    return [about, machine, "", *table(("way", "events/s", "beside JDBC"), rows)]


def _fill(url: str, events: int) -> None:
    with connect(url) as connection:
        connection.execute(_LOG)
        connection.execute(_PARTITIONS, (events,))
        connection.execute(_EVENTS, (events,))
        connection.execute("vacuum analyze eventlog.event")


def _ways(spark: SparkSession, url: str, events: int) -> Mapping[str, Callable[[], DataFrame]]:
    source = {"offsetsPerPartition": str(-(-events // CORES))}
    bounds = {"lowerBound": "0", "upperBound": str(events), "numPartitions": str(CORES)}
    query = "(select log_offset, record_time, key, value from eventlog.event where log_id = 1) as event"
    jdbc = {
        **jdbc_address(url).properties(),
        **bounds,
        "dbtable": query,
        "fetchsize": str(FETCH_SIZE),
        "partitionColumn": "log_offset",
    }
    return {
        JDBC: lambda: spark.read.format("jdbc").options(**jdbc).load(),
        RAW: lambda: spark.read.format("coordinator_stream").options(**source).schema(_RAW).load(),
        ALL: lambda: spark.read.format("coordinator_stream").options(**source).load(),
    }


def _measure(ways: Mapping[str, Callable[[], DataFrame]], events: int, rounds: int) -> Rates:
    rates: dict[str, list[float]] = {way: [] for way in ways}
    for turn in range(rounds + 1):
        for way, read in ways.items():
            began = time.perf_counter()
            read().write.format("noop").mode("overwrite").save()
            if turn:
                rates[way].append(events / (time.perf_counter() - began))
    return rates
