"""Keeps kafka-python from logging records and credentials, at any log level."""

import logging
from typing import Final

PRIVATE_LOGGERS: Final = (
    "kafka.admin.client",  # its configuration, with passwords
    "kafka.net.connection",  # requests and responses with their records, and credentials
    "kafka.producer.kafka",  # each record's key, value and headers
    "kafka.producer.sender",  # requests to produce
    "kafka.protocol.parser",  # the same; at ERROR also bytes that it could not decode
)


def filter_private_loggers() -> None:
    """Let these loggers log only messages at INFO and above without bytes; do not change other loggers."""
    for name in PRIVATE_LOGGERS:
        logging.getLogger(name).addFilter(_has_no_data)  # adding it twice changes nothing


def _has_no_data(record: logging.LogRecord) -> bool:
    values = record.args if isinstance(record.args, tuple) else ()
    return record.levelno >= logging.INFO and not any(isinstance(value, bytes | bytearray) for value in values)
