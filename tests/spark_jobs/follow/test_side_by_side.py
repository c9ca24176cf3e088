"""Two followers on Spark: one applies the events, the other one waits and takes over."""

from contextlib import ExitStack
from typing import Any

from pyspark.sql import SparkSession

from eventlog.kafka.options import KafkaOptions
from eventlog.postgres.connection import connect
from projections.fold.settings import FoldSettings
from projections.follow.follow_run import FollowPlan
from spark_jobs.data_source.options import Access
from spark_jobs.follow.micro_batches import MicroBatches
from tests.builders import config_set
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.waiting import wait_until
from tests.projections.follow.running import Running, following, wait_for_position
from tests.spark_jobs.data_source.conftest import SECRETS

OFFSETS = "select log_offset from eventlog.event order by 1"


def test_the_second_one_continues_where_the_first_one_ends(
    spark: SparkSession, database_url: str, topics: Topics, job_name: str
) -> None:
    name = topics.create(f"__samza_coordinator_{job_name}_1")
    plan = FollowPlan((name,))
    access = Access(SECRETS, database_url, KafkaOptions.parse(topics.bootstrap_servers))

    def options(source: MicroBatches) -> dict[str, Any]:
        return {"locks": source.locks, "make_tail": source.make_tail, "settings": FoldSettings(SECRETS)}

    topics.write(name, [config_set("a", str(number)) for number in range(3)])
    with ExitStack() as stack, connect(database_url) as connection:
        with MicroBatches(spark, access) as source, following(database_url, source, plan, **options(source)) as first:
            wait_for_position(connection, name, 3)
            other = stack.enter_context(MicroBatches(spark.newSession(), access))
            second = stack.enter_context(following(database_url, other, plan, **options(other)))
            second.wait_for("This follower waits, and takes over when the other one ends.")
            topics.write(name, [config_set("b"), config_set("c")])
            wait_until(lambda: applied(first) == 5, what="the first follower")
        second.wait_for(f"{name} is free: this follower continues at offset 5.")
        topics.write(name, [config_set("d")])
        wait_until(lambda: applied(second) == 1, what="the second follower")
        assert connection.execute(OFFSETS).fetchall() == [(offset,) for offset in range(6)]


def applied(follower: Running) -> int:
    return sum(batch.events for batch in follower.applied)
