from getpass import getuser
from typing import Any

import pytest

from coordstream.queries.explain import NOT_RECORDED, conclusion, event, writer
from eventlog.postgres.log import PostgresEventLog
from tests.builders import config_set, task_mode, task_partition
from tests.coordstream.command_line import CommandLine

pytestmark = pytest.mark.slow

BEFORE_RUN_2 = "2026-11-21T09:17:00Z"
AT_THE_END = "2026-11-21T09:18:30Z"
TASKS = ", ".join(f"Partition {n}" for n in range(8))


def on_one_line(printed: str) -> str:
    """The text without its line breaks."""
    return " ".join(printed.split())


def test_each_partition_gets_a_sentence(wordcount: CommandLine) -> None:
    printed = on_one_line(wordcount.done("explain", "wordcount_pv", "Partition 1", "--as-of", AT_THE_END))
    assert printed.startswith(
        "Where Partition 1 of wordcount_pv/1 starts as of 2026-11-21 09:18:30 UTC, and why"
        " kafka.page-views.1 starts after offset 29. The checkpoint decides: the last of version 2"
        " (checkpoint topic 385, 2026-11-21 09:18:13 UTC, host and user not recorded)."
        " kafka.page-views.9 starts at offset 2. The startpoint decides: requested for every task at 2026-11-21"
        " 09:18:19 UTC, and the next start fans it out"
        " (coordinator stream 425, 2026-11-21 09:18:19 UTC, host and user not recorded)."
        " kafka.rules.0 is not read: neither task.inputs nor task.broadcast.inputs names kafka.rules"
        " (coordinator stream 368, 2026-11-21 09:18:02 UTC, root on 192.0.2.2, job-runner)."
    )


def test_json_has_the_rows_of_the_sql_function(wordcount: CommandLine) -> None:
    rows = wordcount.rows("explain", "wordcount_pv", "Partition 1", "--as-of", BEFORE_RUN_2)
    query = f"coordinator.explain('wordcount_pv', '1', 'Partition 1', '{BEFORE_RUN_2}')"
    shown = wordcount.ask(f"select stream_name, partition_id, step, rule, outcome, reason, log_offset from {query}")
    names = ("stream_name", "partition_id", "step", "rule", "outcome", "reason", "log_offset")
    assert [tuple(row[name] for name in names) for row in rows] == shown
    assert [row["log_offset"] for row in rows if row["outcome"] == "wins"] == [98, 107]
    assert rows[0]["record_time"] == "2026-11-21T09:16:59.891Z"


def test_without_a_task_it_shows_what_the_job_would_read_again(wordcount: CommandLine) -> None:
    rows = wordcount.rows("explain", "wordcount_pv", "--as-of", AT_THE_END)
    starts = {(row["task_name"], row["partition_id"]): row for row in rows if row["stream_name"] == "page-views"}
    kept, moved = starts["Partition 1", 1], starts["Partition 1", 9]
    assert (kept["decided_by"], kept["next_offset"]) == ("checkpoint", 30)
    assert (kept["records_again"], kept["records_skipped"]) == (0, 0)
    assert (moved["decided_by"], moved["starting_offset"], moved["next_offset"]) == ("startpoint", "2", 5)
    assert (moved["records_again"], moved["records_skipped"]) == (3, 0)
    query = f"select from coordinator.starting_offset_as_of('wordcount_pv', '1', '{AT_THE_END}')"
    assert len(rows) == len(wordcount.ask(query))
    printed = wordcount.done("explain", "wordcount_pv", "--as-of", AT_THE_END)
    assert "Partition 1\tkafka.page-views.9\t2 (startpoint)\t5\t3\t0\t" in printed


def test_an_unknown_task_is_refused(wordcount: CommandLine) -> None:
    sentence = wordcount.refused("explain", "wordcount_pv", "Partition 9")
    assert sentence == (
        'Job wordcount_pv/1 assigns no partitions to a task "Partition 9".'
        f' Did you mean "Partition 7" or "Partition 6" or "Partition 5"? Known tasks: {TASKS}.'
    )
    sentence = wordcount.refused("explain", "wordcount_pv", "Partition 1", "--as-of", "2026-11-21T09:16:30Z")
    assert sentence == (
        "Job wordcount_pv/1 has no assignments and no checkpoints as of 2026-11-21 09:16:30 UTC."
        " Without them, the input partitions of its tasks are unknown."
    )
    assert 'No job "nope".' in wordcount.refused("explain", "nope", "Partition 1")


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


def test_the_conclusion_names_the_winner_and_its_event() -> None:
    won = step(rule="reset", candidate="oldest", outcome="wins", reason="reset: k is true: reset", **EVENT)
    expected = "kafka.in.0 starts at the oldest event. The reset decides: k is true: reset"
    assert conclusion([step(), won]) == f"{expected} ({PROVENANCE}, {NOT_RECORDED})."


def test_the_conclusion_of_a_partition_that_is_not_read() -> None:
    dropped = step(rule="input", reason="dropped input: task.inputs does not name it", **EVENT)
    lost = step(candidate="oldest", outcome="loses", reason="dropped input: nothing of it is read")
    assert (
        conclusion([dropped, lost])
        == f"kafka.in.0 is not read: task.inputs does not name it ({PROVENANCE}, {NOT_RECORDED})."
    )


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
