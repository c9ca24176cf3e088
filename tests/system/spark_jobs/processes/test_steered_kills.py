"""Steered jobs that are killed, rewound and doubled again and again: the sink holds each effect exactly once."""

import os
import random
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest
from deltalake import DeltaTable, Schema

from eventlog.events import NewEvent
from eventlog.postgres.connection import Connection
from eventlog.postgres.sink_position import SinkPosition
from eventlog.streams import checkpoint_stream_name, coordinator_stream_name
from eventlog.timestamps import ms_of
from managers.steered.steered_job import LIVE_STARTPOINTS
from tests.checkout import CHECKOUT
from tests.fixtures.acceptance.torture import scaled
from tests.fixtures.coordstream.command_line import CommandLine, without_settings
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.waiting import wait_until

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.torture, pytest.mark.long]

PARTITIONS: Final = 8
RECORDS: Final = scaled(16_000, 200_000)
SEEDS: Final = range(scaled(1, 4))
KILLS: Final = scaled(3, 10)
PAUSES: Final = scaled(2, 5)
BATCH_RECORDS: Final = scaled(1_000, 2_000)
REWINDS: Final = 3
NEAR: Final = 50
"""Rewinds go to before this offset."""
FAR: Final = 500
"""To read again from there takes several batches."""
EPOCH: Final = datetime(2026, 1, 1, tzinfo=UTC)
"""The time of the first record of each partition; others follow by a second each."""
STOPPED: Final = re.compile(r"^[\w.]+\.(JobTakenOver|CheckpointNotWritten|SourceUnavailable): ", re.MULTILINE)
"""A copy that is suspended for long may find first that its brokers have given it up."""

SCHEMA: Final = (
    '{"type":"struct","fields":[{"name":"partition","type":"integer","nullable":true,"metadata":{}},'
    '{"name":"offset","type":"long","nullable":true,"metadata":{}}]}'
)


@dataclass
class Effects:
    """A job, its sink, and what its effects have to be: how often each record is written."""

    kind: str
    job: str
    topic: str
    place: str
    cli: CommandLine
    connection: Connection
    folder: Path

    def __post_init__(self) -> None:
        share = RECORDS // PARTITIONS
        self.expected = Counter({(partition, n): 1 for partition in range(PARTITIONS) for n in range(share)})
        self.rewound: dict[int, int] = {}

    def places(self) -> dict[int, int]:
        """The next offset of each partition, as the sink says."""
        if self.kind == "delta":
            version = DeltaTable(self.place).transaction_version
            names = {number: f"coordstream:{self.job}/1:kafka.{self.topic}.{number}" for number in range(PARTITIONS)}
            return {number: version(name) or 0 for number, name in names.items()}
        found = self.connection.execute("select places from steered_position where job_name = %s", (self.job,))
        return {number: offset for (places,) in found for *_, number, offset in places}

    def written(self) -> Counter[tuple[int, int]]:
        """How often the sink has each record."""
        if self.kind == "delta":
            rows = DeltaTable(self.place).to_pyarrow_table().to_pylist()
            return Counter((row["partition"], row["offset"]) for row in rows)
        query = 'select partition, "offset", count(*) from effects group by 1, 2'
        return Counter({(partition, n): count for partition, n, count in self.connection.execute(query.encode())})

    def rewind(self, partition: int, offset: int) -> None:
        """Request a startpoint of one partition, which the next start follows."""
        self.command("startpoint", "write", self.job, f"kafka.{self.topic}.{partition}", str(offset), "--yes")
        self.rewound[partition] = offset

    def rewind_to_a_time(self, offset: int) -> None:
        """Request that all partitions start at the time of the record of an offset."""
        time = str(EPOCH + timedelta(seconds=offset))
        self.command("startpoint", "write", self.job, f"kafka.{self.topic}", time, "--yes")
        self.rewound = dict.fromkeys(range(PARTITIONS), offset)

    def rewind_while_it_runs(self, partition: int, offset: int) -> None:
        """Request a startpoint that is followed at once, and wait until the job reads again from there."""
        wait_until(lambda: self.places()[partition] > FAR, 120, "enough batches")
        self.command("config", "set", self.job, LIVE_STARTPOINTS, "true", "--yes")
        before = self.places()[partition]
        self.rewind(partition, offset)
        wait_until(lambda: self.places()[partition] < before, 120, "the rewind")

    def note_rewind_while_it_ran(self) -> None:
        """What is read again is what lay before the first record that was still to be read."""
        self.command("config", "set", self.job, LIVE_STARTPOINTS, "false", "--yes")
        written, share = self.written(), RECORDS // PARTITIONS
        for partition, offset in self.rewound.items():
            left = (n for n in range(share) if written[partition, n] < self.expected[partition, n])
            self.expected.update([(partition, n) for n in range(offset, next(left, share))])
        self.rewound = {}

    def command(self, *words: str) -> None:
        done = self.cli(*words)
        assert done.code == 0, done.err

    def note_rewinds(self) -> None:
        """While no copy runs: what is read again is what is between the startpoints and the places."""
        places = self.places()
        for partition, offset in self.rewound.items():
            self.expected.update((partition, n) for n in range(offset, places[partition]))
            self.expected.subtract((partition, n) for n in range(places[partition], offset))
        self.rewound = {}

    @contextmanager
    def running(self) -> Iterator["subprocess.Popen[bytes]"]:
        """A copy of the job, in a process group of its own, which is killed at the end."""
        names = ("COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS", "COORDSTREAM_JDBC_JAR")
        environ = {**without_settings(), **self.cli.settings, **{name: os.environ[name] for name in names}}
        command = [sys.executable, "-m", "tests.programs.steered_clicks", self.topic, self.job, self.kind, self.place]
        with (self.folder / "job.log").open("ab") as log:
            process = subprocess.Popen(
                [*command, str(BATCH_RECORDS)],
                cwd=CHECKOUT,
                env={**environ, "COORDSTREAM_HOME": str(self.folder)},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
            try:
                yield process
            except BaseException:
                print((self.folder / "job.log").read_text(errors="replace")[-4000:])
                raise
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def wait_for_news(self, process: "subprocess.Popen[bytes]", rng: random.Random) -> None:
        """Wait until the sink has moved, or the job has ended, and then for up to a moment of a batch."""
        before = self.places()
        wait_until(lambda: self.places() != before or process.poll() is not None, 120, "a batch")
        with suppress(subprocess.TimeoutExpired):
            process.wait(rng.random() / 2)

    def is_done(self) -> bool:
        return set(self.places().values()) == {RECORDS // PARTITIONS}


@pytest.fixture(params=["postgres", "delta"])
def effects(
    request: pytest.FixtureRequest,
    topics: Topics,
    job_name: str,
    kafka_cli: CommandLine,
    connected: Connection,
    jdbc_jar: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Effects:
    monkeypatch.setenv("COORDSTREAM_JDBC_JAR", str(jdbc_jar))
    topic = topics.create(f"in-{job_name}", {"retention.ms": "-1"}, partitions=PARTITIONS)
    for partition in range(PARTITIONS):
        records = [NewEvent(b"", b"%d" % n, ms_of(EPOCH) + n * 1000) for n in range(RECORDS // PARTITIONS)]
        topics.write(topic, records, partition=partition)
    for name in (coordinator_stream_name(job_name, "1"), checkpoint_stream_name(job_name, "1")):
        topics.will_be_made(name)
    SinkPosition(job_name, "1").take(connected)
    connected.execute('create table effects (partition integer, "offset" bigint)')
    place = str(tmp_path / "table") if request.param == "delta" else kafka_cli.database_url
    if request.param == "delta":
        DeltaTable.create(place, Schema.from_json(SCHEMA))
    return Effects(request.param, job_name, topic, place, kafka_cli, connected, tmp_path)


@pytest.mark.parametrize("seed", SEEDS)
def test_kills_and_rewinds(effects: Effects, seed: int) -> None:
    rng = random.Random(seed)
    of_one, to_a_time, while_it_runs = (KILLS * number // REWINDS for number in range(REWINDS))
    for kill in range(KILLS):
        with effects.running() as process:
            effects.wait_for_news(process, rng)
            assert process.poll() is None
            if kill == of_one:
                effects.rewind(rng.randrange(PARTITIONS), rng.randrange(NEAR))
            if kill == to_a_time:
                effects.rewind_to_a_time(rng.randrange(NEAR))
            if kill % 2:
                kill_a_worker(process.pid)
                effects.wait_for_news(process, rng)
            if kill == while_it_runs:
                effects.rewind_while_it_runs(rng.randrange(PARTITIONS), rng.randrange(NEAR))
        if kill == while_it_runs:
            effects.note_rewind_while_it_ran()
        effects.note_rewinds()
        assert_log_is_not_ahead(effects)
    with effects.running() as process:
        wait_until(lambda: effects.is_done() or process.poll() is not None, 600, "the end")
        assert process.poll() is None
    assert effects.written() == effects.expected
    assert_log_is_not_ahead(effects)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_copy_that_was_suspended_stops(effects: Effects, seed: int) -> None:
    rng = random.Random(seed)
    for number in range(PAUSES):
        if number:
            for partition in range(PARTITIONS):
                effects.rewind(partition, 0)
            effects.note_rewinds()
        with effects.running() as first:
            effects.wait_for_news(first, rng)
            os.killpg(first.pid, signal.SIGSTOP)
            with effects.running() as second:
                effects.wait_for_news(second, rng)
                os.killpg(first.pid, signal.SIGCONT)
                assert first.wait(120) == 1
        log = effects.folder / "job.log"
        assert STOPPED.search(log.read_text(errors="replace"))
        log.unlink()
    with effects.running() as process:
        wait_until(lambda: effects.is_done() or process.poll() is not None, 600, "the end")
    assert effects.written() == effects.expected


def kill_a_worker(driver: int) -> None:
    """Kill one of the Python processes in which Spark runs tasks."""
    worker, *_ = wait_until(lambda: python_workers(driver), 120, "a task")
    os.kill(worker, signal.SIGKILL)


def python_workers(driver: int) -> list[int]:
    """The JVM has a session of its own; workers are in it, in the process group of the daemon that forked them."""
    columns = "pid=,ppid=,pgid=,sid="
    listed = subprocess.run(["ps", "-A", "-o", columns], capture_output=True, text=True, check=True).stdout
    rows = [tuple(map(int, line.split())) for line in listed.splitlines()]
    (jvm,) = (pid for pid, parent, _, session in rows if parent == driver and session == pid)
    return [pid for pid, _, group, session in rows if session == jvm and group not in (pid, jvm)]


def assert_log_is_not_ahead(effects: Effects) -> None:
    """What the checkpoints in SQL say is processed is in the sink."""
    streams = coordinator_stream_name(effects.job, "1"), checkpoint_stream_name(effects.job, "1")
    effects.command("follow", *streams, "--once")
    found = effects.connection.execute(
        "select partition_id, input_offset_number from coordinator.checkpoint where job_name = %s", (effects.job,)
    ).fetchall()
    written = effects.written()
    skipped = {row for row, times in effects.expected.items() if not times}  # by a startpoint
    assert [row for row in found if row[1] >= 0 and not written[row] and row not in skipped] == []
