"""Every admin of a system that a job coordinator uses, the one of tests included."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from eventlog.kafka.admin import KafkaAdmin
from eventlog.kafka.options import KafkaOptions
from eventlog.log import StreamExists
from eventlog.source import StreamMissing
from eventlog.streams import identify
from managers.stream_creation import InputAdmin
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.managers.coordinator.folder_of_streams import FolderOfStreams
from tests.fixtures.numbers import NUMBERS


@pytest.fixture(params=["folder", pytest.param("kafka", marks=pytest.mark.kafka)])
def admin(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[InputAdmin]:
    if request.param == "folder":
        yield FolderOfStreams(tmp_path)
        return
    topics: Topics = request.getfixturevalue("topics")
    with KafkaAdmin(KafkaOptions.parse(topics.bootstrap_servers)) as kafka:
        yield kafka


def test_streams_are_created_once_and_counted(admin: InputAdmin, request: pytest.FixtureRequest) -> None:
    name = f"input-admin{next(NUMBERS)}"
    stream = identify(f"__samza_checkpoint_ver_1_for_{name}_1")
    if isinstance(admin, KafkaAdmin):
        for made in (name, stream.stream_name):
            request.getfixturevalue("topics").will_be_made(made)
    with pytest.raises(StreamMissing):
        admin.partition_count(name)
    admin.create_topic(name, partitions=3, replication_factor=1, settings={})
    with pytest.raises(StreamExists):
        admin.create_topic(name, partitions=2, replication_factor=1, settings={})
    assert admin.partition_count(name) == 3
    admin.create_topic(stream.stream_name, partitions=1, replication_factor=1, settings={"cleanup.policy": "compact"})
    assert admin.describe(stream.stream_name).end_offset == 0
    assert {name, stream.stream_name} <= set(admin.topic_names())
