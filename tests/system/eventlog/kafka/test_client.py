"""Clients of kafka-python: what they log at DEBUG, trust and show, and their errors in our own words."""

import logging
import threading
from pathlib import Path
from typing import Final

import pytest
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer
from kafka.errors import (
    IncompatibleBrokerVersion,
    KafkaConnectionError,
    KafkaTimeoutError,
    NodeNotReadyError,
    SaslAuthenticationFailedError,
    TopicAlreadyExistsError,
)

from eventlog.events import NewEvent
from eventlog.kafka.client import BrokerTooOld, ask, connect, tls_context
from eventlog.kafka.log import KafkaEventLog
from eventlog.kafka.options import KafkaOptions, OptionRefused
from eventlog.kafka.source import KafkaSource
from eventlog.source import CredentialsRefused, OffsetLost, SourceUnavailable, StreamMissing
from eventlog.streams import identify
from tests.contracts.event_log import new_events
from tests.fixtures.kafka import BrokerMaker
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.waiting import wait_until

SECRET = "pl4ntedS3cret"


def test_no_record_is_logged(
    kafka_options: KafkaOptions, coordinator_topic: str, caplog: pytest.LogCaptureFixture
) -> None:
    event = NewEvent(SECRET.encode(), SECRET.encode(), 1, ((SECRET, SECRET.encode()),))
    with caplog.at_level(logging.DEBUG):
        with KafkaEventLog(kafka_options, identify(coordinator_topic)) as log:
            log.append([event])
            assert [read.key for read in log.read()] == [event.key]
        with KafkaSource(kafka_options) as source:
            source.assign({coordinator_topic: source.describe(coordinator_topic).start_offset})
            while not source.poll(5):
                pass
    assert "kafka.net.manager" in {record.name for record in caplog.records if record.levelno == logging.DEBUG}
    assert SECRET not in caplog.text


#: A certificate and its key, made for these tests; the key's password is the name.
STRANGER: Final = str(Path(__file__).with_name("unknown_authority.pem"))


@pytest.mark.parametrize(
    "options",
    [
        {"ssl_certfile": STRANGER, "ssl_password": "a secret"},
        {"ssl_certfile": STRANGER},  # without a prompt
        *({name: __file__} for name in ("ssl_cafile", "ssl_certfile", "ssl_crlfile")),
    ],
)
def test_invalid_files_and_passwords_are_reported(options: dict[str, str]) -> None:
    with pytest.raises(OptionRefused, match=r"cannot be used .* PEM files, and that ssl_password is that") as refused:
        tls_context(options)
    assert "secret" not in str(refused.value)


NOWHERE = KafkaOptions.parse("127.0.0.1:1")


@pytest.mark.parametrize("make", [KafkaAdminClient, KafkaConsumer, KafkaProducer])
def test_a_client_without_a_broker_leaves_nothing_open(make: type) -> None:
    before = set(threading.enumerate())  # some of them, of earlier tests, may end meanwhile
    with pytest.raises(SourceUnavailable, match=r"127\.0\.0\.1:1 does not answer"):
        connect(make, NOWHERE, bootstrap_timeout_ms=200)
    wait_until(lambda: before.issuperset(threading.enumerate()), what="its thread to end")


@pytest.mark.parametrize("has_login", [False, True])
def test_a_question_is_asked_again_until_it_is_answered(*, has_login: bool) -> None:
    """A broken connection is no refused login."""
    login = {"sasl_mechanism": "PLAIN", "sasl_plain_username": "follower", "sasl_plain_password": "a secret"}
    secured = KafkaOptions.parse("127.0.0.1:1", {"security_protocol": "SASL_PLAINTEXT", **login})
    answers = iter([NodeNotReadyError(), KafkaTimeoutError(), KafkaConnectionError("socket disconnected"), None])

    def question() -> str:
        if error := next(answers):
            raise error
        return "answer"

    assert ask(secured if has_login else NOWHERE, question) == "answer"


@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (TopicAlreadyExistsError, TopicAlreadyExistsError),
        (SaslAuthenticationFailedError, CredentialsRefused),
        (IncompatibleBrokerVersion, BrokerTooOld),
    ],
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
