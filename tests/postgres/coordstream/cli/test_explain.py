from getpass import getuser

import pytest

from eventlog.postgres.log import PostgresEventLog
from tests.builders import config_set, task_mode, task_partition
from tests.fixtures.coordstream.command_line import CommandLine

pytestmark = pytest.mark.slow


def test_what_coordstream_writes_names_its_writer(cli: CommandLine) -> None:
    streams = "__samza_coordinator_counts_1", "__samza_checkpoint_ver_1_for_counts_1"
    for stream in streams:
        cli.done("log", "create", stream)
    with PostgresEventLog(cli.database_url, streams[0]) as log:
        log.append([config_set("task.inputs", "kafka.in"), task_partition("kafka.in.0", "t"), task_mode("t")])
    assert cli("checkpoint", "write", "counts", "t/kafka.in.0=5", "--yes").code == 0
    for position in ("oldest", "7"):
        assert cli("startpoint", "write", "counts", "kafka.in.0", position, "--yes").code == 0
    cli.follow(*streams, "--once")
    steps = [(row["rule"], row["username"]) for row in cli.rows("explain", "counts", "t")]
    assert steps[:3] == [("startpoint", getuser()), ("reset", None), ("checkpoint", getuser())]
    assert cli("startpoint", "delete", "counts", "--all", "--yes").code == 0
    cli.follow(*streams, "--once")
    writers = {"coordinator.checkpoint": 1, "coordinator.checkpoint_history": 1, "coordinator.startpoint_history": 4}
    for relation, count in writers.items():
        found = cli.ask(f"select distinct username, host is not null, source from {relation}")
        assert (found, cli.ask(f"select count(*) from {relation}")) == ([(getuser(), True, None)], [(count,)])
    events = cli.ask("select message_type, operation, username from coordinator.event order by record_time, log_offset")
    assert events[-1] == ("samza-startpoint-v1", "delete", getuser())
    assert [username for kind, _, username in events if kind == "checkpoint"] == [getuser()]
