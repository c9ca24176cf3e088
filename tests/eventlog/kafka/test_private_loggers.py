"""What kafka-python logs at DEBUG, records and passwords of ours in hand."""

import logging

import pytest

from eventlog.events import NewEvent
from eventlog.kafka.admin import KafkaAdmin
from eventlog.kafka.log import KafkaEventLog
from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.private_loggers import PRIVATE_LOGGERS, filter_private_loggers
from eventlog.kafka.source import KafkaSource
from eventlog.source import SourceUnavailable
from eventlog.streams import identify

SECRET = "pl4ntedS3cret"


@pytest.mark.parametrize("transactional_id", [None, "private-loggers"])
def test_no_record_is_logged(
    kafka_options: KafkaOptions,
    coordinator_topic: str,
    caplog: pytest.LogCaptureFixture,
    transactional_id: str | None,
) -> None:
    event = NewEvent(SECRET.encode(), SECRET.encode(), 1, ((SECRET, SECRET.encode()),))
    with caplog.at_level(logging.DEBUG):
        stream = identify(coordinator_topic)
        with KafkaEventLog(kafka_options, stream, transactional_id=transactional_id) as log:
            log.append([event])
            assert [read.key for read in log.read()] == [event.key]
        with KafkaSource(kafka_options) as source:
            source.assign({coordinator_topic: 0})
            while not source.poll(5):
                pass
    assert "kafka.consumer.fetcher" in {record.name for record in caplog.records if record.levelno == logging.DEBUG}
    assert SECRET not in caplog.text


def test_no_password_is_logged(kafka_bootstrap_servers: str, caplog: pytest.LogCaptureFixture) -> None:
    login = {"sasl_mechanism": "PLAIN", "sasl_plain_username": "follower", "sasl_plain_password": SECRET}
    options = KafkaOptions.parse(kafka_bootstrap_servers, {"security_protocol": "SASL_PLAINTEXT", **login})
    with caplog.at_level(logging.DEBUG), pytest.raises(SourceUnavailable), KafkaAdmin(options) as admin:
        admin.stream_names()
    assert len(caplog.records) > 0
    assert SECRET not in caplog.text


def test_what_was_not_understood_is_not_printed(caplog: pytest.LogCaptureFixture) -> None:
    filter_private_loggers()
    parser = logging.getLogger("kafka.protocol.parser")
    parser.error("Unable to decode %d-byte buffer: %r", 3, SECRET.encode())
    parser.error("something else went wrong in %d", 1)
    assert [record.getMessage() for record in caplog.records] == ["something else went wrong in 1"]


def test_all_of_them_are_kafka_pythons() -> None:
    assert set(PRIVATE_LOGGERS) <= set(logging.root.manager.loggerDict)
