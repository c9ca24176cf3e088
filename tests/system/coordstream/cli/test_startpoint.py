"""`coordstream startpoint`, on the job of recording A in writable logs."""

import shlex
from collections import Counter
from datetime import timedelta

import pytest
from kafka import KafkaAdminClient

from coordstream.cli import change
from eventlog.events import NewEvent
from eventlog.postgres.log import PostgresEventLog
from eventlog.startpoint import StartpointOldest, StartpointSpecific, StartpointTimestamp
from eventlog.streams import identify
from managers.startpoints import startpoint_request
from tests.builders import config_set, startpoint, task_partition
from tests.fixtures.coordstream.command_line import COORDINATOR, CommandLine
from tests.fixtures.coordstream.rewound_job import (
    END,
    JOB,
    LAST_COMMIT,
    NOW,
    NOW_MS,
    TWO_HOURS_AGO_MS,
    end,
    facts,
    page_views,
    requests,
    set_clock,
    unreachable_inputs,
)
from tests.fixtures.kafka_topics import COMPACTED_AND_DELETED, Topics

WRITE = ("startpoint", "write", "wordcount_pv")
DELETE = ("startpoint", "delete", "wordcount_pv")
FAN_OUT = ("startpoint", "fan-out", "wordcount_pv")


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


def append(job: CommandLine, *events: NewEvent) -> None:
    with PostgresEventLog(job.database_url, COORDINATOR) as log:
        log.append([event._replace(timestamp=NOW_MS) for event in events])


def warned(job: CommandLine, *words: str) -> str:
    """The warnings of a command that succeeds."""
    finished = job(*words)
    assert finished.code == 0
    return finished.err


class TestWrite:
    def test_a_whole_stream_is_rewound_at_once(self, job: CommandLine) -> None:
        finished = job(*WRITE, "kafka.page-views", "2", "hours", "ago", "--yes")
        assert finished.code == 0
        requested = StartpointTimestamp(TWO_HOURS_AGO_MS, NOW_MS)
        assert {key: each for key, each in requests(job).items() if each.creation_timestamp == NOW_MS} == {
            f"kafka.page-views.{number}": requested for number in range(16)
        }

    @pytest.mark.parametrize("position", ["-2h", "-120minutes", "-7200sec"])
    def test_a_time_with_a_dash_is_not_taken_for_options(self, job: CommandLine, position: str) -> None:
        assert job(*WRITE, "kafka.page-views.3", position, "--yes").code == 0
        assert requests(job)["kafka.page-views.3"] == StartpointTimestamp(TWO_HOURS_AGO_MS, NOW_MS)

    def test_the_undo_commands_undo_a_request_for_one_task(self, job: CommandLine) -> None:
        before = requests(job)
        printed = job(*WRITE, "kafka.page-views", "5", "--task", "Partition 4", "--yes").out
        written = {key for key, each in requests(job).items() if each.creation_timestamp == NOW_MS}
        assert written == {"kafka.page-views.4.Partition 4", "kafka.page-views.12.Partition 4"}
        for line in printed.splitlines():
            if line.startswith("  coordstream"):
                assert job(*shlex.split(line)[1:], "--yes").code == 0
        restored = {"kafka.page-views.12.Partition 4": StartpointTimestamp(1_700_000_000_001, NOW_MS)}
        assert requests(job) == {**before, **restored}

    @pytest.mark.scenario("HRD-42")
    def test_warning_about_a_coordinator_that_does_not_fan_out_startpoints(self, other: CommandLine) -> None:
        factory = config_set("job.coordinator.factory", "org.apache.samza.standalone.PassthroughJobCoordinatorFactory")
        words = ("startpoint", "write", another_job(other, task_partition("kafka.in.0"), factory), "kafka.in", "oldest")
        said = warned(other, *words, "--yes")
        assert "does not fan out startpoints" in said
        assert "Run `coordstream startpoint fan-out counts/1` while the job is stopped instead." in said

    def test_warnings_about_a_dotted_stream_and_an_ambiguous_key(self, other: CommandLine) -> None:
        job = another_job(other, task_partition("kafka.s.1", "2"), task_partition("kafka.s.1.2", "u"))
        finished = other("startpoint", "write", job, "kafka.s.1.2", "7", "--yes", "--json")
        assert "stream s.1 contains a dot" in finished.err
        assert "The key kafka.s.1.2 can also mean" in finished.err
        assert not any(row["is_followed"] for row in finished.json)

    def test_a_job_of_many_tasks_takes_no_more_requests_and_readings(
        self, kafka_cli: CommandLine, monkeypatch: pytest.MonkeyPatch, topics: Topics, job_name: str
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


@pytest.mark.parametrize("words", [(*WRITE, "kafka.page-views.9", "7"), (*DELETE, "kafka.page-views.9")])
def test_a_request_that_another_writer_changes_meanwhile_is_kept(
    job: CommandLine, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    def write_another(*_words: str, **_options: object) -> None:
        append(job, startpoint("kafka.page-views.9", StartpointOldest(NOW_MS)))

    monkeypatch.setattr(change, "confirm", write_another)
    finished = job(*words)
    assert finished.code == 1
    assert "Another writer changed the startpoint request 'kafka.page-views.9'. Nothing was written." in finished.err
    assert end(job) == END + 1


class TestFanOut:
    def test_requests_are_fanned_out_to_the_tasks_that_read_the_partitions(self, job: CommandLine) -> None:
        job("startpoint", "write", JOB, "kafka.page-views.0-1", "7", "--yes")
        finished = job(*FAN_OUT, "--yes")
        assert finished.code == 0
        assert "4 startpoints fanned out to 3 tasks." in finished.out
        assert "Not fanned out, as expired, ambiguous or read by no task: kafka.gone.0" in finished.err
        seven = StartpointSpecific("7", NOW_MS)
        fan_outs = facts(job).fanned_out
        assert fan_outs.keys() == {"Partition 0", "Partition 1", "Partition 4"}
        assert fan_outs["Partition 0"] == {page_views(0): seven}
        assert fan_outs["Partition 1"].keys() == {page_views(1), page_views(9)}
        assert requests(job).keys() == {"kafka.gone.0", "kafka.page-views.7.Partition 3"}

    def test_a_running_job_is_refused(self, job: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
        set_clock(monkeypatch, LAST_COMMIT + timedelta(seconds=4))  # task.commit.ms=1500
        assert "its last checkpoint was written 4 s ago" in job.refused(*FAN_OUT, "--yes", "--json")
        assert end(job) == END
        assert job(*FAN_OUT, "--yes", "--force").code == 0
        assert facts(job).fanned_out
