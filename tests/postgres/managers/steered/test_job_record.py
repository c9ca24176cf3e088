"""What a Python program writes on the logs of its job, and what the relations say about it."""

import pytest

from coordstream.errors import CoordstreamError
from coordstream.event_logs import open_job_record
from eventlog.checkpoint import CheckpointV1
from eventlog.errors import EventLogError
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import StartpointSpecific
from managers.steered.job_record import JobOfAnotherProgram, JobRecord
from tests.fixtures.coordstream.command_line import CommandLine
from tests.fixtures.database_sessions import end_sessions

SOURCE = "coordstream observe"
CONFIG = {"task.inputs": "kafka.clicks", "spark.app.name": "counts"}
PARTITIONS = [SystemStreamPartition("kafka", "clicks", number) for number in range(2)]


def write_all(record: JobRecord) -> None:
    """What a start of the job writes."""
    record.declare(CONFIG)
    record.assign({"clicks-0": PARTITIONS})


def event_counts(cli: CommandLine) -> list[tuple[str, int]]:
    return cli.ask(
        "select stream_name, count(*) from eventlog.event join eventlog.log using (log_id) group by 1 order by 1"
    )


def follow(cli: CommandLine) -> None:
    """Read the logs into the relations."""
    assert cli("follow", "--all", "--once").code == 0


def test_the_relations_tell_what_was_written(cli: CommandLine) -> None:
    with open_job_record("page_views", source=SOURCE) as record:
        write_all(record)
        record.checkpoints.write_checkpoint("clicks-0", CheckpointV1({PARTITIONS[0]: "41"}))
        record.startpoints.write_startpoint(PARTITIONS[1], StartpointSpecific("7"))
        assert record.config == {
            **CONFIG,
            "job.name": "page_views",
            "job.id": "1",
            "app.runner": SOURCE,
            "systems.kafka.samza.factory": "org.apache.samza.system.kafka.KafkaSystemFactory",
            "job.coordinator.system": "kafka",
            "task.checkpoint.system": "kafka",
            "task.checkpoint.factory": "org.apache.samza.checkpoint.kafka.KafkaCheckpointManagerFactory",
        }
    follow(cli)
    assert cli.ask("select partition_id, task_name from coordinator.task_partition order by 1") == [
        (0, "clicks-0"),
        (1, "clicks-0"),
    ]
    assert cli.ask("select partition_id, decided_by, starting_offset from coordinator.starting_offset order by 1") == [
        (0, "checkpoint", "42"),
        (1, "startpoint", "7"),
    ]
    assert cli.ask("select distinct job_name, job_id, source from coordinator.config") == [("page_views", "1", SOURCE)]
    rows = cli.rows("explain", "page_views", "clicks-0")
    assert [(row["partition_id"], row["rule"]) for row in rows if row["outcome"] == "wins"] == [
        (0, "checkpoint"),
        (1, "startpoint"),
    ]


def test_a_restart_writes_only_what_has_changed(cli: CommandLine) -> None:
    with open_job_record("counts/7", source=SOURCE) as record:
        write_all(record)
    written = event_counts(cli)
    with open_job_record("counts/7", source=SOURCE) as record:
        write_all(record)
        assert event_counts(cli) == written
        record.declare({**CONFIG, "spark.app.name": "other"})
        for first in PARTITIONS, PARTITIONS[:1]:  # then it only stops reading what clicks-1 reads as well
            record.assign({"clicks-0": first, "clicks-1": PARTITIONS[1:]})
    follow(cli)
    assert cli.ask("select config_key, config_value from coordinator.config_change where operation = 'set' "
                   "and previous_value is not null") == [("spark.app.name", "other")]  # fmt: skip
    assert cli.ask("select partition_id, task_name from coordinator.task_partition order by 1") == [
        (0, "clicks-0"),
        (1, "clicks-1"),
    ]


def test_keys_of_an_operator_stay_and_own_keys_go(cli: CommandLine) -> None:
    with open_job_record("counts", source=SOURCE) as record:
        record.declare({**CONFIG, "spark.sql.shuffle.partitions": "4"})
    assert cli("config", "set", "counts", "task.commit.ms", "5000").code == 0
    with open_job_record("counts", source=SOURCE) as record:
        record.declare(CONFIG)
        assert record.config["task.commit.ms"] == "5000"
        assert "spark.sql.shuffle.partitions" not in record.config


@pytest.mark.parametrize("source", ["coordstream steered", "job-runner"])
def test_a_job_of_another_program_is_refused(cli: CommandLine, source: str) -> None:
    with open_job_record("counts", source=source) as record:
        write_all(record)
    written = event_counts(cli)
    with pytest.raises(JobOfAnotherProgram) as refused, open_job_record("counts", source=SOURCE):
        pass
    assert str(refused.value) == (
        f"Job counts/1 belongs to another program: app.runner in its config is {source!r}, not {SOURCE!r}. "
        "Choose another name or id."
    )
    assert event_counts(cli) == written


def test_a_samza_job_is_refused(appendable: CommandLine) -> None:
    written = event_counts(appendable)
    with pytest.raises(JobOfAnotherProgram, match=r"app\.runner in its config is unset"):
        open_job_record("wordcount_pv", source=SOURCE).__enter__()
    assert event_counts(appendable) == written


def test_a_job_whose_streams_have_the_same_names_is_refused(cli: CommandLine) -> None:
    with open_job_record("page_views", source=SOURCE) as record:
        write_all(record)
    with pytest.raises(JobOfAnotherProgram, match="its log is that of page_views/1"):
        open_job_record("page-views", source=SOURCE).__enter__()


@pytest.mark.parametrize("word", ["", "a b", "a/", "a/b/c", "ä"])
def test_an_invalid_name_is_refused(cli: CommandLine, word: str) -> None:
    with pytest.raises(CoordstreamError, match="Expected NAME or NAME/ID"):
        open_job_record(word, source=SOURCE).__enter__()
    assert cli.is_empty()


def test_a_record_can_be_used_after_an_outage(cli: CommandLine) -> None:
    with open_job_record("counts", source=SOURCE) as record:
        write_all(record)
        end_sessions(cli.database_url)
        with pytest.raises(EventLogError):
            record.checkpoints.write_checkpoint("clicks-0", CheckpointV1({PARTITIONS[0]: "41"}))
        record.checkpoints.write_checkpoint("clicks-0", CheckpointV1({PARTITIONS[0]: "41"}))
        with pytest.raises(EventLogError):
            record.declare(CONFIG)
        record.declare(CONFIG)
