"""The fixtures, a file a subject; see tests/fixtures."""

import logging
import signal
from importlib import metadata
from typing import Final

import pytest

pytest_plugins = [
    "tests.fixtures.browser",
    "tests.fixtures.file_order",
    "tests.fixtures.generated_examples",
    "tests.fixtures.kafka",
    "tests.fixtures.leaks",
    "tests.fixtures.new_user",
    "tests.fixtures.object_stores",
    "tests.fixtures.postgres",
    "tests.fixtures.report",
    "tests.fixtures.samza",
    "tests.fixtures.spark",
    "tests.fixtures.spark_cluster",
    "tests.fixtures.sure_postgres",
    "tests.fixtures.event_logs",
    "tests.fixtures.state",
    "tests.fixtures.followed_logs",
    "tests.fixtures.sites",
    "tests.fixtures.data_source",
    "tests.fixtures.spark_jobs.clicks",
    "tests.fixtures.spark_connect",
    "tests.fixtures.command_line",  # last: it imports others, which pytest must register before they are imported
]
pytest.register_assert_rewrite("tests.contracts.event_log", "tests.contracts.event_source", "tests.contracts.followed")
PYSPARK: Final = tuple(int(number) for number in metadata.version("pyspark").split(".")[:2])
"""Streams of the data source need Spark 4.2, and the Kafka connector that tests fetch is of this version."""
_STREAMS: Final = ["*/data_source/test_stream_*", "*/data_source/test_topic_*"]
_CONNECTED: Final = ["system/spark_jobs/observed/*", "*/test_kafka_input.py", "*/test_steering_page.py"]
"""They need the Kafka connector, of the locked version of Spark."""
collect_ignore_glob = [*([] if PYSPARK >= (4, 2) else _STREAMS), *([] if PYSPARK == (4, 2) else _CONNECTED)]


def pytest_configure() -> None:
    """Make the tests independent of how they are started and of what else the machine does."""
    # In the background or under nohup, SIGINT and SIGHUP are ignored, also by the programs that tests start.
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)
    # On a busy machine kafka-python warns of slow tasks, which tests that count warnings must not see.
    logging.getLogger("kafka.net.selector").setLevel(logging.ERROR)
