"""The versions to read change while checkpoints of both come: readers see those of the version that config names."""

import itertools
from contextlib import ExitStack
from typing import Final

import psycopg
import pytest

from eventlog.checkpoint import READ_VERSIONS
from eventlog.postgres.connection import connect
from eventlog.postgres.log import PostgresEventLog
from eventlog.postgres.source import PostgresSource
from eventlog.streams import checkpoint_stream_name, identify
from projections.follow.follow_run import FollowPlan
from projections.tracked_logs import logs_of
from projections.verify import verify_log
from tests.builders import checkpoint_v1, checkpoint_v2
from tests.fixtures.acceptance.torture import scaled
from tests.fixtures.projections.follow.running import ORDERS, append, following, repeating, wait_for_position
from tests.fixtures.properties.importing import SETTINGS

CHECKPOINTS: Final = checkpoint_stream_name("orders")
pytestmark = [pytest.mark.slow, pytest.mark.torture]


@pytest.mark.parametrize("followed", [[(ORDERS, CHECKPOINTS)], [(ORDERS,), (CHECKPOINTS,)]], ids=["by one", "by two"])
def test_checkpoints_are_those_of_the_config_beside_them(database_url: str, followed: list[tuple[str, ...]]) -> None:
    config, checkpoints = (PostgresEventLog.create(database_url, identify(name)) for name in (ORDERS, CHECKPOINTS))
    offset = itertools.count()
    seen: set[tuple[str, frozenset[tuple[str, str]]]] = set()

    def commit() -> None:
        for task in "abc":
            offsets = {"kafka.in.0": str(next(offset))}
            checkpoints.append([checkpoint_v1(task, offsets), checkpoint_v2(task, offsets)])

    def read() -> None:
        with psycopg.connect(database_url) as reader:
            reader.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            ((value,),) = reader.execute("select config_value from coordinator.config").fetchall()
            rows = reader.execute("select task_name, checkpoint_version::text from coordinator.checkpoint").fetchall()
            seen.add((value, frozenset(rows)))

    with config, checkpoints, connect(database_url) as connection, ExitStack() as followers:
        commit()
        append(config, **{READ_VERSIONS: "2"})
        for names in followed:
            source = followers.enter_context(PostgresSource(database_url))
            followers.enter_context(following(database_url, source, FollowPlan(names)))
        for log in (config, checkpoints):
            wait_for_position(connection, log.stream_name, log.end_offset())
        with repeating(read, 3), repeating(commit, 1, 0.01):
            for version in itertools.islice(itertools.cycle("12"), scaled(100, 5_000)):
                append(config, **{READ_VERSIONS: version})
                wait_for_position(connection, ORDERS, config.end_offset())
        for log in (config, checkpoints):
            wait_for_position(connection, log.stream_name, log.end_offset())
            assert verify_log(connection, logs_of(connection, log.stream_name)[0], SETTINGS).is_equal
        assert seen == {(version, frozenset((task, version) for task in "abc")) for version in "12"}
