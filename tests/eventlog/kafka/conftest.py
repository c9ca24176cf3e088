"""What the tests of this folder share."""

from collections.abc import Iterator

import pytest

from eventlog.kafka.admin import KafkaAdmin
from eventlog.kafka.options import KafkaOptions


@pytest.fixture
def admin(kafka_options: KafkaOptions) -> Iterator[KafkaAdmin]:
    """An admin of the run's broker."""
    with KafkaAdmin(kafka_options) as admin:
        yield admin
