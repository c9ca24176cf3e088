"""Topics that real brokers or their settings do not let a follower read for a while."""

from collections.abc import Iterator
from typing import Any

import pytest
from kafka.admin import ACL, ACLOperation, ACLPermissionType, ResourcePattern, ResourceType

from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.source import KafkaSource
from eventlog.postgres.connection import Connection, connect
from projections.follow import follow_run, session
from projections.follow.follow_run import FollowPlan
from tests.builders import config_set
from tests.fixtures.kafka import BrokerMaker
from tests.fixtures.kafka_broker import KafkaBroker
from tests.fixtures.kafka_security import USER, SecuredListeners
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.waiting import wait_until
from tests.projections.follow.running import following

pytestmark = pytest.mark.slow

SHOWN = "select stream_name, state, state_detail, next_offset from coordinator.log_position order by 1, incarnation"


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the waits before retries and heartbeats."""
    monkeypatch.setattr(follow_run, "RETRY_FIRST_SECONDS", 0.1)
    monkeypatch.setattr(follow_run, "RETRY_LONGEST_SECONDS", 0.2)
    monkeypatch.setattr(session, "HEARTBEAT_SECONDS", 2.0)  # a refusal must arrive within it, on a busy machine too


@pytest.fixture
def connected(database_url: str) -> Iterator[Connection]:
    with connect(database_url) as connection:
        yield connection


@pytest.fixture(scope="module")
def security(tmp_path_factory: pytest.TempPathFactory) -> SecuredListeners:
    return SecuredListeners(tmp_path_factory.mktemp("security"))


@pytest.fixture(scope="module")
def broker(start_broker: BrokerMaker, security: SecuredListeners) -> Iterator[KafkaBroker]:
    with start_broker(security=security) as broker:
        yield broker


@pytest.fixture(scope="module")
def topics(broker: KafkaBroker) -> Iterator[Topics]:
    with Topics(broker.bootstrap_servers) as topics:
        yield topics


@pytest.fixture
def options(broker: KafkaBroker, security: SecuredListeners) -> KafkaOptions:
    """Options of a user that the broker lets in."""
    return KafkaOptions.parse(broker.address("SASL_PLAINTEXT"), security.options("SASL_PLAINTEXT"))


def access(name: str, *allowed: ACLOperation) -> list[ACL]:
    pattern = ResourcePattern(ResourceType.TOPIC, name)
    grants = [(f"User:{USER}", operation) for operation in allowed] + [("User:other", ACLOperation.READ)]
    return [ACL(who, "*", what, ACLPermissionType.ALLOW, pattern) for who, what in grants]


def wait_for_row(connection: Connection, name: str, *expected: Any) -> None:
    def is_shown() -> bool:
        rows = [row for row in connection.execute(SHOWN.encode()).fetchall() if row[0] == name]
        return bool(rows) and (rows[-1][1], rows[-1][3]) == expected

    wait_until(is_shown, what=f"{name}: {expected}")


def test_a_topic_is_followed_once_the_rights_are_granted(
    database_url: str,
    connected: Connection,
    options: KafkaOptions,
    topics: Topics,
    job_name: str,
) -> None:
    name = topics.create(f"__samza_coordinator_{job_name}_1")
    other = topics.create(f"__samza_coordinator_{job_name}-other_1")
    topics.restrict(access(name, ACLOperation.DESCRIBE, ACLOperation.DESCRIBE_CONFIGS))
    topics.write(name, [config_set("a", "1")])
    with (
        KafkaSource(options) as source,
        following(database_url, source, FollowPlan((name, other))) as running,
    ):
        refusal = running.wait_for("denies access to it")
        wait_for_row(connected, name, "refused", 0)
        topics.write(other, [config_set("a", "1")])
        wait_for_row(connected, other, "live", 1)
        assert running.messages == [refusal]
        topics.restrict(access(name, ACLOperation.READ, ACLOperation.DESCRIBE, ACLOperation.DESCRIBE_CONFIGS))
        wait_for_row(connected, name, "live", 1)
    messages = [message for message in running.messages if name in message]
    assert [message.partition(":")[0] for message in messages] == [
        refusal.partition(":")[0],
        f"{name} can be followed again",
    ]
