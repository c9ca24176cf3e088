"""Those loggers of kafka-python that print records and credentials: they are kept from it, whatever the log's level."""

import logging
from typing import Final

PRIVATE_LOGGERS: Final = (
    "kafka.admin.client",  # its configuration, with passwords
    "kafka.net.connection",  # requests and responses, with the records in them, and what a login sends
    "kafka.producer.kafka",  # each record's key, value and headers
    "kafka.producer.sender",  # requests to produce
    "kafka.protocol.parser",  # the same as connections; at ERROR the bytes that it could not decode
)


def hold_private_loggers() -> None:
    """Let them say what they say at INFO and above, without bytes. The others of kafka-python are left alone."""
    for name in PRIVATE_LOGGERS:
        logging.getLogger(name).addFilter(_holds_no_data)  # the same filter again changes nothing


def _holds_no_data(record: logging.LogRecord) -> bool:
    values = record.args if isinstance(record.args, tuple) else ()
    return record.levelno >= logging.INFO and not any(isinstance(value, bytes | bytearray) for value in values)
