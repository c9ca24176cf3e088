from getpass import getuser
from typing import Any

import pytest

from coordstream.queries.explain import NOT_RECORDED, event, writer
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


def step(**columns: Any) -> dict[str, Any]:
    """A step without an event, unless the test says otherwise."""
    partition = {"system_name": "kafka", "stream_name": "in", "partition_id": 0, "key_bucket": -1}
    absent = {"rule": "startpoint", "candidate": None, "outcome": "absent", "reason": "none: no request"}
    nothing = dict.fromkeys(("record_time", "source", "host", "username", "stream_kind", "log_offset"))
    return partition | absent | nothing | columns


EVENT = {"stream_kind": "coordinator", "log_offset": 7, "record_time": "2026-01-31T12:00:00.5Z"}
PROVENANCE = "coordinator stream 7, 2026-01-31 12:00:00 UTC"


@pytest.mark.parametrize(
    ("username", "host", "source", "who"),
    [
        (None, None, None, NOT_RECORDED),
        ("root", "h", "job-runner", "root on h, job-runner"),
        ("root", None, None, "root on host not recorded"),
        (None, "h", None, "user not recorded on h"),
    ],
)
def test_who_wrote_an_event(username: str | None, host: str | None, source: str | None, who: str) -> None:
    written = step(username=username, host=host, source=source, **EVENT)
    assert writer(written) == who
    assert event(written) == f"{PROVENANCE}, {who}"
