import socket

import pytest

from eventlog.events import NewEvent
from eventlog.postgres.connection import connect
from eventlog.postgres.log import PostgresEventLog
from eventlog.postgres.log_registry import newest_log
from eventlog.secret_policy import SecretPolicy
from projections.fold.settings import FoldSettings
from projections.stream_lock import StreamLocks
from projections.tracked_logs import track_log
from tests.fixtures.coordstream.command_line import MASK_KEY, CommandLine, in_own_process
from tests.fixtures.projections.follow.running import seem_old, set_lost_after

pytestmark = pytest.mark.slow

STREAM = "__samza_coordinator_counts_1"


def test_a_hanging_follower_is_named(counts: CommandLine) -> None:
    with connect(counts.database_url, application_name="a follower") as hanging:
        backend = hanging.info.backend_pid
        StreamLocks(hanging).take(STREAM)
        assert counts("status").code == 0
        set_lost_after(hanging, 0)
        finished = counts("status")
    assert finished.code == 1
    assert f"{STREAM} is held by a follower on 127.0.0.1" in finished.err
    assert f"`select pg_terminate_backend({backend})`" in finished.err


@pytest.mark.parametrize(("state", "seconds_ago", "lag"), [("live", 25, 2), ("live", 35, None), ("stopped", 10_000, 2)])
def test_the_end_that_a_dead_follower_stored_is_ignored(
    counts: CommandLine, state: str, seconds_ago: int, lag: int | None
) -> None:
    with counts.connection() as connection:
        connection.execute("update eventlog.log set backend = 'kafka'")
    beat(counts, state, seconds_ago, end_offset=2)
    assert counts.ask("select lag, state from coordinator.log_position") == [(lag, state)]
    assert counts("status", "--json").json[0]["lag"] == lag
    beat(counts, state, seconds_ago, end_offset=None)
    assert counts.ask("select lag from coordinator.log_position") == [(None,)]
    assert counts("status", "--max-lag", "9").code == 1


def test_an_end_is_unknown_without_an_answer_of_the_brokers(counts: CommandLine) -> None:
    with counts.connection() as connection:
        connection.execute("update eventlog.log set backend = 'kafka'")
    beat(counts, "live", seconds_ago=0, end_offset=2)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        address = f"127.0.0.1:{mute.getsockname()[1]}"
        settings = {"COORDSTREAM_DATABASE_URL": counts.database_url, "COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS": address}
        finished = in_own_process("status", "--json", "--max-lag", "5", **settings)
        assert in_own_process("status", **settings).code == 1
    assert finished.code == 1
    assert [(row["state"], row["end_offset"], row["lag"]) for row in finished.json] == [("live", None, None)]
    brokers, lag = finished.err.splitlines()
    # the client's own time limit may end first
    assert brokers in {
        f"Kafka at {address} does not answer ({reason}). Check that its brokers run and can be reached."
        for reason in ("no answer within 5 s", "RequestTimedOut")
    }
    assert lag == f"{STREAM} has an unknown lag. Start its follower, or check that the brokers can be reached."


@pytest.fixture
def counts(cli: CommandLine) -> CommandLine:
    """The command line on a database with a Postgres log of three events, none of them read by its follower."""
    cli.done("log", "create", STREAM)
    with PostgresEventLog(cli.database_url, STREAM) as log:
        log.append([NewEvent(b"k", b"v", 1)] * 3)
    with connect(cli.database_url) as connection, connection.transaction():
        stored = newest_log(connection, STREAM)
        assert stored is not None
        track_log(connection, stored, FoldSettings(SecretPolicy(MASK_KEY.encode())))
    return cli


def beat(cli: CommandLine, state: str, seconds_ago: int, end_offset: int | None = None) -> None:
    """Set the state of every log, and the age of its heartbeat."""
    with cli.connection() as connection:
        seem_old(connection)
        connection.execute(
            "update projection.position set state = %s, end_offset = %s,"
            " heartbeat_at = now() - make_interval(secs => %s)",
            (state, end_offset, seconds_ago),
        )
