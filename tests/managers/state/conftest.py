"""Fixtures of the tests of state: changelogs on the run's broker."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from eventlog.kafka.changelogs import KafkaChangelogs
from eventlog.kafka.options import KafkaOptions
from tests.fixtures.kafka_topics import Topics
from tests.managers.state.logged_task import LoggedTask

TaskMaker = Callable[..., LoggedTask]


@pytest.fixture
def changelogs(kafka_options: KafkaOptions) -> Iterator[KafkaChangelogs]:
    with KafkaChangelogs(kafka_options) as changelogs:
        yield changelogs


@pytest.fixture
def make_task(changelogs: KafkaChangelogs, topics: Topics, job_name: str, tmp_path: Path) -> TaskMaker:
    """Creates tasks; the changelogs are created with the first one, with two partitions."""

    def make(*store_names: str, **options: Any) -> LoggedTask:
        names = store_names or ("orders",)
        for name in names:
            if not topics.is_there(f"{job_name}-{name}"):
                topics.create(f"{job_name}-{name}", partitions=2)
        task = LoggedTask(changelogs, tmp_path, job_name, names, **options)
        task.open()
        return task

    return make
