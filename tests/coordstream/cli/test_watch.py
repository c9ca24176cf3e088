"""`coordstream watch`, on the job of recording A and on a growing log."""

import json
import os
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Final

import pytest

from coordstream.cli.watch import command
from coordstream.cli.watch.sentences import KINDS, Narrator
from eventlog.postgres.connection import connect
from eventlog.postgres.log import PostgresEventLog
from eventlog.startpoint import EXPIRY_MS, StartpointOldest
from eventlog.streams import identify
from eventlog.timestamps import ms_of
from projections.job_choice import find_job
from tests.builders import config_set, container_host, set_checkpoint, startpoint, task_container
from tests.coordstream.command_line import CommandLine
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.waiting import PATIENCE, wait_until

WATCH = ("watch", "wordcount_pv", "--once", "--since", "2026-11-21T09:17:00Z")
STREAM = "__samza_coordinator_counts_1"
WATCHING = """
select from pg_stat_activity
where datname = current_database() and pid <> pg_backend_pid() and query like '%projection.position%'
"""

STARTED: Final = """
select from pg_stat_activity
where datname = current_database() and state = 'idle' and query = 'COMMIT'
"""
"""The first transaction of a watcher reads where the job's logs stand."""


def lines(cli: CommandLine, *words: str) -> list[str]:
    """The sentences, without their times."""
    return [line[25:] for line in cli.done(*words).splitlines()]


def test_each_kind_of_event_is_a_sentence(wordcount: CommandLine) -> None:
    said = lines(wordcount, *WATCH)
    assert "job-runner@192.0.2.2 changed job.container.count: 2 → 3" in said
    assert any(line.startswith("Container 2 started on ") for line in said)
    assert any(line.startswith("Startpoint for kafka.page-views.1") and line.endswith(": consumed") for line in said)
    assert any(line.startswith("Partition 3 committed 24 of kafka.page-views.3 (") for line in said)
    moved = [line for line in said if " moved to container " in line]
    assert moved
    assert len(moved) == len(set(moved))


def test_events_of_both_logs_are_in_the_order_of_their_times(wordcount: CommandLine) -> None:
    told = [json.loads(line) for line in wordcount.done(*WATCH, "--json").splitlines()]
    times = [line["time"] for line in told]
    assert times == sorted(times, key=datetime.fromisoformat)
    kinds = [line["stream_kind"] for line in told]
    assert len(list(groupby(kinds))) > 2


def test_kinds_are_chosen(wordcount: CommandLine) -> None:
    every = Counter(line.split()[0] for line in lines(wordcount, *WATCH))
    some = Counter(line.split()[0] for line in lines(wordcount, *WATCH, "--kind", "container", "--kind", "startpoint"))
    assert set(some) == {"Container", "Startpoint"}
    assert some.items() <= every.items()
    refused = wordcount.refused("watch", "wordcount_pv", "--kind", "everything", code=2)
    assert "Invalid value for '--kind': 'everything'. Expected one of: checkpoint," in refused


def test_once_without_a_time_is_refused(wordcount: CommandLine) -> None:
    refused = wordcount.refused("watch", "wordcount_pv", "--once", code=2)
    assert refused.startswith("'--once' needs '--since': ")


def test_nothing_has_happened_since_the_last_event(wordcount: CommandLine) -> None:
    assert wordcount.done("watch", "wordcount_pv", "--once", "--since", "2027-01-01T00:00:00Z") == ""


def test_json_has_an_object_per_line(wordcount: CommandLine) -> None:
    printed = wordcount.done(*WATCH, "--kind", "config", "--json").splitlines()
    assert printed[0].startswith('{"time": "2026-11-21T09:17:04.0')
    assert json.loads(printed[0])["time"].endswith("Z")
    assert '"kind": "config", "sentence": "job-runner@192.0.2.2 changed ' in printed[0]


def test_only_what_changed_is_told(cli: CommandLine, tmp_path: Path) -> None:
    with PostgresEventLog.create(cli.database_url, identify(STREAM)) as log:
        log.append([config_set("job.name", "counts"), container_host("0", "a"), task_container("t", "0")])
        log.append([set_checkpoint("t", {"kafka.in.0": "5"})])
        assert cli("follow", STREAM, "--once").code == 0
        command = [sys.executable, "-m", "coordstream.cli", "watch", "counts"]
        others = [pid for (pid,) in cli.ask("select pid from pg_stat_activity")]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ) as watcher:
            wait_until(
                lambda: cli.ask(f"{STARTED} and pid <> all(array{others})"),
                what="the watcher to know the job's positions",
            )
            log.append([container_host("0", "a"), container_host("0", "b"), task_container("t", "0")])
            log.append([set_checkpoint("t", {"kafka.in.0": "22"}), config_set("a", "1"), config_set("a", "1")])
            assert cli("follow", STREAM, "--once").code == 0
            assert watcher.stdout is not None
            said = [watcher.stdout.readline()[25:].rstrip("\n") for _ in range(3)]
            watcher.kill()
            assert watcher.wait(PATIENCE)
    assert said == [
        "Container 0 moved to b",
        "t committed 22 of kafka.in.0 (+17)",
        "job-runner@host-1 changed a: – → 1",
    ]


def test_a_startpoint_that_expires_is_told_once(cli: CommandLine) -> None:
    expired_at = datetime.now(UTC) - timedelta(minutes=30)
    created_ms = int(expired_at.timestamp() * 1_000) - EXPIRY_MS
    with PostgresEventLog.create(cli.database_url, identify(STREAM)) as log:
        log.append([config_set("job.name", "counts"), startpoint("kafka.in.0", StartpointOldest(created_ms))])
    assert cli("follow", STREAM, "--once").code == 0
    sentence = "Startpoint for kafka.in.0, oldest: expired"
    with connect(cli.database_url) as connection:
        job = find_job(connection, "counts")
        watcher = command.Watcher(connection, job, ("startpoint",), expired_at - timedelta(minutes=1))
        told = [line for line in watcher.new_lines() if line["sentence"] == sentence]
        (expired,) = told
        assert ms_of(datetime.fromisoformat(expired["time"])) == created_ms + EXPIRY_MS
        assert expired["log_offset"] is None
        assert list(watcher.new_lines()) == []
        later = command.Watcher(connection, job, ("startpoint",), expired_at + timedelta(minutes=1))
        assert sentence not in [line["sentence"] for line in later.new_lines()]
        others = command.Watcher(connection, job, ("config",), expired_at - timedelta(minutes=1))
        assert sentence not in [line["sentence"] for line in others.new_lines()]


@pytest.mark.parametrize(
    ("source", "host", "who"),
    [("job-runner", None, "job-runner"), (None, "host-1", "host-1"), (None, None, "Someone")],
)
def test_a_writer_is_named_as_far_as_it_is_known(source: str | None, host: str | None, who: str) -> None:
    row = {"source": source, "host": host, "config_key": "a", "previous_value": None, "config_value": "1"}
    assert Narrator().sentence("config", row) == f"{who} changed a: – → 1"


def test_control_characters_of_names_are_escaped() -> None:
    row = {"task_name": "a\x1b[2J", "container_id": "0\x1b[2J"}
    sentence = Narrator().sentence("task", row)
    assert sentence is not None
    assert "\x1b" not in sentence
    assert sentence.startswith("a")


def test_a_long_past_is_fetched_while_it_is_told(wordcount: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "FETCHED_AT_ONCE", 2)
    with connect(wordcount.database_url) as connection:
        watcher = command.Watcher(
            connection, find_job(connection, "wordcount_pv"), tuple(KINDS), datetime(2026, 11, 21, tzinfo=UTC)
        )
        lines = watcher.new_lines()
        first = next(lines)
        cursors = connection.execute("select name from pg_cursors where name like 'watch%' order by 1").fetchall()
        assert any(name.startswith("watch_config_") for (name,) in cursors)
        rest = list(lines)
    told = [first, *rest]
    assert len(told) > 100
    offsets = [
        line["log_offset"] for line in told if line["stream_kind"] == "coordinator" and line["log_offset"] is not None
    ]
    assert offsets == sorted(offsets)


def test_a_log_that_is_created_again_is_told_from_its_start(
    kafka_cli: CommandLine, topics: Topics, coordinator_topic: str, job_name: str
) -> None:
    topics.write(coordinator_topic, [config_set("job.name", job_name), config_set("a", "before")])
    assert kafka_cli("follow", coordinator_topic, "--once").code == 0
    with connect(kafka_cli.database_url) as connection:
        watcher = command.Watcher(connection, find_job(connection, job_name), tuple(KINDS), None)
        assert list(watcher.new_lines()) == []
        topics.create_again(coordinator_topic)
        topics.write(coordinator_topic, [config_set("a", "after")])
        assert kafka_cli("follow", coordinator_topic, "--once").code == 0
        assert [line["sentence"] for line in watcher.new_lines()] == ["job-runner@host-1 changed a: – → after"]
    (row,) = kafka_cli.rows("bisect", "exists (select from config where config_value = 'after')", "--job", job_name)
    assert (row["stream_kind"], row["incarnation"], row["log_offset"]) == ("coordinator", 2, 0)
