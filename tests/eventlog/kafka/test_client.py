"""Clients of kafka-python, and their errors in our own words."""

import threading
import time
from contextlib import closing

import pytest
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer
from kafka.errors import (
    KafkaConnectionError,
    KafkaTimeoutError,
    NodeNotReadyError,
    SaslAuthenticationFailedError,
    TopicAlreadyExistsError,
    TopicAuthorizationFailedError,
)

from eventlog.kafka.client import ask, connect, translate_errors
from eventlog.kafka.log import KafkaEventLog
from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.source import KafkaSource
from eventlog.source import CredentialsRefused, OffsetLost, SourceUnavailable, StreamMissing
from eventlog.streams import identify
from tests.contracts.followed import new_events
from tests.fixtures.kafka import BrokerMaker
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.waiting import PATIENCE, wait_until

NOWHERE = KafkaOptions.parse("127.0.0.1:1")


@pytest.mark.parametrize("make", [KafkaAdminClient, KafkaConsumer, KafkaProducer])
def test_a_client_without_a_broker_leaves_nothing_open(make: type) -> None:
    before = set(threading.enumerate())  # some of them, of earlier tests, may end meanwhile
    with pytest.raises(SourceUnavailable, match=r"127\.0\.0\.1:1 does not answer"):
        connect(make, NOWHERE, bootstrap_timeout_ms=200)
    wait_until(lambda: before.issuperset(threading.enumerate()), what="its thread to end")


def test_a_client_waits_for_its_backoff_before_it_queries_another_topic(kafka_options: KafkaOptions) -> None:
    with closing(connect(KafkaConsumer, kafka_options, retry_backoff_ms=7).client) as consumer:
        assert consumer._client.cluster.refresh_backoff() == 7


def test_errors_name_the_place() -> None:
    sentence = r"Kafka at 127\.0\.0\.1:1 does not answer \(KafkaTimeout\)\. Check that"
    with pytest.raises(SourceUnavailable, match=sentence), translate_errors(NOWHERE):
        raise KafkaTimeoutError("of no use to anybody")


@pytest.mark.parametrize("error", [SaslAuthenticationFailedError, TopicAuthorizationFailedError])
def test_refused_credentials_have_their_own_error_and_are_not_repeated(error: type[Exception]) -> None:
    with (
        pytest.raises(CredentialsRefused, match=r"Kafka at 127\.0\.0\.1:1 refused access") as refused,
        translate_errors(NOWHERE),
    ):
        raise error("user follower, password a secret")
    assert "secret" not in str(refused.value)


def test_a_broken_connection_is_not_a_refused_login() -> None:
    login = {"sasl_mechanism": "PLAIN", "sasl_plain_username": "follower", "sasl_plain_password": "a secret"}
    options = KafkaOptions.parse("127.0.0.1:1", {"security_protocol": "SASL_PLAINTEXT", **login})
    answers = iter([KafkaConnectionError("socket disconnected"), None])

    def question() -> str:
        if error := next(answers):
            raise error
        return "answer"

    assert ask(options, question) == "answer"


def test_a_question_is_asked_again_until_it_is_answered() -> None:
    answers = iter([NodeNotReadyError(), KafkaTimeoutError(), None])

    def question() -> str:
        if error := next(answers):
            raise error
        return "answer"

    assert ask(NOWHERE, question) == "answer"


def test_it_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eventlog.kafka.client.REACH_SECONDS", 0.3)

    def question() -> None:
        raise NodeNotReadyError

    began = time.monotonic()
    with pytest.raises(SourceUnavailable):
        ask(NOWHERE, question)
    assert 0.3 <= time.monotonic() - began < PATIENCE / 2


@pytest.mark.parametrize(
    ("error", "raised"),
    [(TopicAlreadyExistsError, TopicAlreadyExistsError), (SaslAuthenticationFailedError, CredentialsRefused)],
)
def test_a_permanent_error_is_not_retried(error: type[Exception], raised: type[Exception]) -> None:
    asked = []

    def question() -> None:
        asked.append(1)
        raise error

    with pytest.raises(raised):
        ask(NOWHERE, question, answers=(TopicAlreadyExistsError,))
    assert asked == [1]


def test_nothing_is_made_by_being_asked_for(start_broker: BrokerMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    """With brokers that create topics automatically, a deleted topic must not come back, uncompacted."""
    monkeypatch.setattr("eventlog.kafka.producer.APPEND_SECONDS", 2.0)
    name = "__samza_coordinator_orders_1"
    with (
        start_broker(settings={"auto.create.topics.enable": "true"}) as broker,
        Topics(broker.bootstrap_servers) as topics,
    ):
        options = KafkaOptions.parse(broker.bootstrap_servers)
        topics.create(name)
        with KafkaSource(options) as source, KafkaEventLog(options, identify(name)) as log:
            log.append(new_events(1))
            source.describe(name)
            source.assign({name: 0})
            wait_until(lambda: source.poll(0.1))
            topics.delete(name)
            with pytest.raises(OffsetLost):
                wait_until(lambda: source.poll(0.1))
            with pytest.raises(StreamMissing):
                source.describe(name)
            with pytest.raises(StreamMissing):
                log.end_offset()
            with pytest.raises(SourceUnavailable, match="did not acknowledge"):
                log.append(new_events(1))
            assert source.stream_names() == []
