"""`coordstream startpoint`, on the job of recording A in writable logs."""

from collections import Counter
from datetime import timedelta

import pytest
from kafka import KafkaAdminClient

from coordstream.cli import change
from eventlog.events import NewEvent
from eventlog.postgres.log import PostgresEventLog
from eventlog.startpoint import StartpointOldest
from eventlog.streams import identify
from managers.startpoints import startpoint_request
from tests.builders import config_set, startpoint, task_partition
from tests.fixtures.coordstream.command_line import COORDINATOR, CommandLine
from tests.fixtures.coordstream.rewound_job import (
    END,
    LAST_COMMIT,
    NOW,
    NOW_MS,
    end,
    facts,
    set_clock,
    unreachable_inputs,
)
from tests.fixtures.kafka_topics import COMPACTED_AND_DELETED, Topics


@pytest.fixture
def job(appendable: CommandLine, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """The job of recording A, an hour after its last commit."""
    set_clock(monkeypatch, NOW)
    unreachable_inputs(monkeypatch)
    return appendable


@pytest.fixture
def other(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """The command line without a job."""
    set_clock(monkeypatch, NOW)
    unreachable_inputs(monkeypatch)
    return cli


@pytest.mark.scenario("HRD-42")
def test_warning_about_a_coordinator_that_does_not_fan_out_startpoints(other: CommandLine) -> None:
    factory = config_set("job.coordinator.factory", "org.apache.samza.standalone.PassthroughJobCoordinatorFactory")
    words = ("startpoint", "write", another_job(other, task_partition("kafka.in.0"), factory), "kafka.in", "oldest")
    finished = other(*words, "--yes")
    assert finished.code == 0
    assert "does not fan out startpoints" in finished.err
    assert "Run `coordstream startpoint fan-out counts/1` while the job is stopped instead." in finished.err


def test_warnings_about_a_dotted_stream_and_an_ambiguous_key(other: CommandLine) -> None:
    job = another_job(other, task_partition("kafka.s.1", "2"), task_partition("kafka.s.1.2", "u"))
    finished = other("startpoint", "write", job, "kafka.s.1.2", "7", "--yes", "--json")
    assert "stream s.1 contains a dot" in finished.err
    assert "The key kafka.s.1.2 can also mean" in finished.err
    assert not any(row["is_followed"] for row in finished.json)


def test_a_job_of_many_tasks_takes_no_more_requests_and_readings(
    kafka_cli: CommandLine, monkeypatch: pytest.MonkeyPatch, topics: Topics, job_name: str
) -> None:
    counts: Counter[str] = Counter()
    count_calls(monkeypatch, counts, KafkaAdminClient, "list_partition_offsets")
    count_calls(monkeypatch, counts, startpoint_request, "key_meanings")

    def counted(number: int) -> Counter[str]:
        views = topics.create(f"{job_name}{number}-views", COMPACTED_AND_DELETED, partitions=number)
        stream = topics.create(f"__samza_coordinator_{job_name}{number}_1")
        servers = config_set("systems.kafka.consumer.bootstrap.servers", topics.bootstrap_servers)
        topics.write(
            stream, [servers, *(task_partition(f"kafka.{views}.{each}", f"t{each}") for each in range(number))]
        )
        counts.clear()
        rows = kafka_cli(
            "startpoint", "write", f"{job_name}{number}", f"kafka.{views}", "oldest", "--yes", "--json"
        ).json
        assert [row["resolved_offset"] for row in rows] == ["0"] * number
        return Counter(counts)

    assert counted(2) == counted(20)


def count_calls(monkeypatch: pytest.MonkeyPatch, counts: Counter[str], place: object, name: str) -> None:
    original = getattr(place, name)

    def counted(*args: object, **options: object) -> object:
        counts[name] += 1
        return original(*args, **options)

    monkeypatch.setattr(place, name, counted)


def another_job(cli: CommandLine, *events: NewEvent) -> str:
    """Create the coordinator stream of a job and return the job's name."""
    stream = "__samza_coordinator_counts_1"
    with PostgresEventLog.create(cli.database_url, identify(stream)) as log:
        log.append([event._replace(timestamp=NOW_MS) for event in events])
    return "counts"


@pytest.mark.parametrize(
    "words", [("write", "wordcount_pv", "kafka.page-views.9", "7"), ("delete", "wordcount_pv", "kafka.page-views.9")]
)
def test_a_request_that_another_writer_changes_meanwhile_is_kept(
    job: CommandLine, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    def write_another(*_words: str, **_options: object) -> None:
        with PostgresEventLog(job.database_url, COORDINATOR) as log:
            log.append([startpoint("kafka.page-views.9", StartpointOldest(NOW_MS), at=NOW_MS)])

    monkeypatch.setattr(change, "confirm", write_another)
    finished = job("startpoint", *words)
    assert finished.code == 1
    assert "Another writer changed the startpoint request 'kafka.page-views.9'. Nothing was written." in finished.err
    assert end(job) == END + 1


def test_startpoints_are_not_fanned_out_in_a_running_job(job: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    set_clock(monkeypatch, LAST_COMMIT + timedelta(seconds=4))  # task.commit.ms=1500
    assert "its last checkpoint was written 4 s ago" in job.refused(
        "startpoint", "fan-out", "wordcount_pv", "--yes", "--json"
    )
    assert end(job) == END
    assert job("startpoint", "fan-out", "wordcount_pv", "--yes", "--force").code == 0
    assert facts(job).fanned_out
