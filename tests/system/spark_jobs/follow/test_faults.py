"""A log that an executor cannot apply does not stop the others."""

from dataclasses import dataclass
from typing import Final

from pyspark.sql import SparkSession

from eventlog.kafka.options import KafkaOptions
from eventlog.postgres.connection import connect
from eventlog.secret_policy import SecretPolicy
from projections.fold.settings import FoldSettings
from projections.follow.follow_run import FollowPlan
from spark_jobs.follow.micro_batches import MicroBatches, MicroBatchTail
from spark_jobs.log_task import LogTaskSettings
from tests.builders import config_set
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.projections.follow.running import following, wait_for_position

STATES: Final = "select stream_name, state, state_detail, next_offset from coordinator.log_position order by 1"


@dataclass(frozen=True)
class FaultyPolicy(SecretPolicy):
    """A policy with a bug."""

    def is_secret_name(self, name: str) -> bool:
        """Fails for one name."""
        return 1 // (name != "app.broken") == 0 or super().is_secret_name(name)


def test_a_log_that_is_given_up_does_not_stop_the_others(
    spark: SparkSession, database_url: str, topics: Topics, job_name: str
) -> None:
    broken, healthy = (topics.create(f"__samza_coordinator_{job_name}-{name}_1") for name in ("broken", "healthy"))
    topics.write(broken, [config_set("app.broken")])
    topics.write(healthy, [config_set("app.note")])
    secrets = FaultyPolicy(b"k")
    access = LogTaskSettings(database_url, FoldSettings(secrets), KafkaOptions.parse(topics.bootstrap_servers))
    plan = FollowPlan((broken, healthy))
    with connect(database_url) as connected, MicroBatches(spark, access) as source:
        given = {"locks": source.locks, "make_tail": MicroBatchTail, "settings": FoldSettings(secrets)}
        with following(database_url, source, plan, **given) as running:  # type: ignore[arg-type]
            sentence = running.wait_for(
                f"{broken} cannot be followed: unexpected error ZeroDivisionError in an executor."
            )
            wait_for_position(connected, healthy, 1)
            topics.write(healthy, [config_set("app.note", "again")])
            wait_for_position(connected, healthy, 2)
            assert connected.execute(STATES).fetchall() == [
                (broken, "refused", sentence, 0),
                (healthy, "live", None, 2),
            ]
    (outcome,) = running.outcomes
    assert outcome.failures == {broken: sentence}
