"""Every relation read by Spark, with all that Python and the JVM can log: run as a module.

``python -m tests.acceptance.read_all_with_spark JAR LOG_SETTINGS`` reads those of ``COORDSTREAM_DATABASE_URL`` and
prints each row; the logs go to standard error.
"""

import logging
import os
import sys
from pathlib import Path

from spark_jobs.relations.jdbc import Ranges, Relation, read_rows
from spark_jobs.relations.settings import DATABASE_URL, ReadSettings
from spark_jobs.relations.snapshots import exported_snapshot
from spark_jobs.session import LOCAL, build_session, jar_conf

#: Log4j's settings with everything at DEBUG; PySpark holds back what has no logger of its own.
TALKATIVE = """<?xml version="1.0" encoding="UTF-8"?>
<Configuration status="ERROR">
  <Appenders><Console name="console" target="SYSTEM_ERR"><PatternLayout pattern="%p %c: %m%n%ex"/></Console></Appenders>
  <Loggers>
    <Logger name="org" level="debug"/><Logger name="com" level="debug"/><Logger name="py4j" level="debug"/>
    <Root level="debug"><AppenderRef ref="console"/></Root>
  </Loggers>
</Configuration>
"""
_VIEWS = """
select c.relname, array_agg(a.attname::text order by a.attnum) from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
where c.relnamespace = 'coordinator'::regnamespace and c.relkind = 'v' group by 1 order by 1
"""


def _main(jar: str, log_settings: str) -> None:
    logging.basicConfig(level=logging.DEBUG)
    for name in ("py4j", "pyspark", "psycopg"):
        logging.getLogger(name).setLevel(logging.DEBUG)
    url = os.environ[DATABASE_URL]
    options = LOCAL["spark.driver.extraJavaOptions"].partition('"-Dlog4j2')[0]
    talkative = {"spark.driver.extraJavaOptions": f"{options} -Dlog4j2.configurationFile={Path(log_settings).as_uri()}"}
    spark = build_session("talkative", {"spark.master": "local[1]", **talkative, **jar_conf(Path(jar))})
    with exported_snapshot(url) as snapshot:
        for name, columns in snapshot.connection.execute(_VIEWS).fetchall():
            relation = Relation(name, tuple(columns), {})
            rows = read_rows(spark, ReadSettings(url), relation, snapshot, Ranges("log_offset", 0, 1, 1))
            for row in rows.collect():
                print(name, row)
    spark.stop()


if __name__ == "__main__":
    _main(*sys.argv[1:])
