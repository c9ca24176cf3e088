"""`coordstream rewind plan`, on inputs of a real broker."""

import json
from pathlib import Path

import pytest

from eventlog.log import system_clock
from eventlog.timestamps import ms_of
from tests.coordstream.command_line import CommandLine
from tests.coordstream.rewindable_job import UNREACHABLE, RewindableJob
from tests.fixtures.kafka_topics import Topics


@pytest.fixture
def job(topics: Topics, job_name: str) -> RewindableJob:
    """A job with 20 and 10 records, of which its tasks have processed 15 and 10."""
    made = RewindableJob(topics, job_name)
    made.produce(0, 20, time=1_000_000)
    made.produce(1, 10, time=2_000_000)
    made.commit(0, 14)
    made.commit(1, 9)
    return made


def moves(cli: CommandLine, job: RewindableJob, *words: str) -> list[tuple[object, ...]]:
    Path("plan.json").unlink(missing_ok=True)
    finished = cli("rewind", "plan", job.name, *words, "--json", "-o", "plan.json")
    assert finished.code == 0, finished.err
    columns = ("partition_id", "from_offset", "to_offset", "records_again", "records_skipped", "finding")
    return [tuple(row[column] for column in columns) for row in finished.json]


def test_targets(kafka_cli: CommandLine, job: RewindableJob) -> None:
    assert moves(kafka_cli, job, "--to-earliest") == [(0, 15, 0, 15, 0, None), (1, 10, 0, 10, 0, None)]
    assert moves(kafka_cli, job, "--to-latest") == [
        (0, 15, 20, 0, 5, "skips_everything"),
        (1, 10, 10, 0, 0, None),
    ]
    assert moves(kafka_cli, job, "--to-offset", "4") == [(0, 15, 4, 11, 0, None), (1, 10, 4, 6, 0, None)]
    assert moves(kafka_cli, job, "--shift-by", "-3") == [(0, 15, 12, 3, 0, None), (1, 10, 7, 3, 0, None)]
    assert moves(kafka_cli, job, "--shift-by", "3") == [(0, 15, 18, 0, 3, None), (1, 10, 10, 0, 0, "beyond_end")]
    assert moves(kafka_cli, job, "--to-datetime", "1970-01-01T00:30Z") == [
        (0, 15, 20, 0, 5, "skips_everything"),
        (1, 10, 0, 10, 0, None),
    ]
    assert moves(kafka_cli, job, "--shift-by", "-3", "--task", "Partition 1") == [(1, 10, 7, 3, 0, None)]
    assert moves(kafka_cli, job, "--shift-by", "-3", "--input", f"kafka.{job.input}.0") == [(0, 15, 12, 3, 0, None)]
    assert moves(kafka_cli, job, "--shift-by", "-3", "--input", f"kafka.{job.input}.0-1", "--task", "Partition 1") == [
        (1, 10, 7, 3, 0, None)
    ]
    job.produce(0, 2, time=ms_of(system_clock()))
    assert moves(kafka_cli, job, "--by-duration", "1h") == [(0, 15, 20, 0, 5, None), (1, 10, 10, 0, 0, None)]
    assert json.loads(Path("plan.json").read_text())["version"] == 1


def refused(cli: CommandLine, job: RewindableJob, *words: str, code: int = 1) -> str:
    """The message of a `plan` that must fail and write nothing, neither a file nor a message."""
    ends = job.ends()
    message = cli.refused("rewind", "plan", job.name, *words, code=code)
    assert list(Path().glob("*.json")) == []
    assert job.ends() == ends
    return message


def test_invalid_targets_and_selections(kafka_cli: CommandLine, job: RewindableJob, topics: Topics) -> None:
    assert "Expected exactly one of --to-datetime," in refused(kafka_cli, job, code=2)
    assert "Expected exactly one" in refused(kafka_cli, job, "--to-latest", "--to-offset", "3", code=2)
    shift = refused(kafka_cli, job, "--shift-by", "x", code=2)
    assert shift.startswith(
        "Invalid value for '--shift-by': 'x'. Expected a whole number of offsets, such as 100 or -100."
    )
    assert "Expected an offset, 0 or more." in refused(kafka_cli, job, "--to-offset", "٣", code=2)
    assert refused(kafka_cli, job, "--to-offset", "11") == (
        f"Offset 11 of kafka.{job.input}.1 is beyond its end, 10. Use --to-latest to skip all of its records."
    )
    assert "The job has no task 'Partition 7'." in refused(kafka_cli, job, "--to-latest", "--task", "Partition 7")
    assert "The job does not read kafka.other." in refused(kafka_cli, job, "--to-latest", "--input", "kafka.other")
    assert refused(kafka_cli, job, "--to-latest", "--input", f"kafka.{job.input}.5") == (
        f"No task reads partition 5 of kafka.{job.input}; the last partition is 1."
    )
    job.follow(kafka_cli)
    assert "has no run 3. It has runs 1 to 1." in refused(kafka_cli, job, "--to-run", "3")
    unreachable = ("--to-latest", "--input-bootstrap-servers", "127.0.0.1:1")
    assert refused(kafka_cli, job, *unreachable) == UNREACHABLE
    topics.delete(job.input)
    assert f"The input has no kafka.{job.input}.0" in refused(kafka_cli, job, "--to-latest")


def test_a_truncated_input(kafka_cli: CommandLine, job: RewindableJob, topics: Topics) -> None:
    topics.delete_before(job.input, 6)
    task = ("--task", "Partition 0")
    assert moves(kafka_cli, job, "--to-offset", "2", *task) == [(0, 15, 6, 9, 0, "before_oldest")]
    assert moves(kafka_cli, job, "--to-datetime", "1970-01-01T00:00Z", *task) == [(0, 15, 6, 9, 0, "before_oldest")]
    finished = kafka_cli("rewind", "plan", job.name, "--to-offset", "2", *task)
    assert "warning: The target is before the oldest record, which is used instead: " in finished.err


def test_counts_are_bounds_if_records_are_not_read(kafka_cli: CommandLine, job: RewindableJob) -> None:
    words = ("rewind", "plan", job.name, "--to-earliest", "--count-up-to")
    (first, _) = kafka_cli(*words, "25", "--json", "-o", "a.json").json
    assert (first["records_again"], first["is_counted"], first["bytes"]) == (15, True, 90)
    (first, _) = kafka_cli(*words, "24", "--json", "-o", "b.json").json
    assert (first["records_again"], first["is_counted"], first["bytes"]) == (15, False, None)
    assert "at most 25 records to read again" in kafka_cli(*words, "0", "-o", "c.json").out
    assert kafka_cli.refused(*words, "0", "-o", "c.json", "--json").startswith("File 'c.json' exists.")


def test_offsets_from_a_file(kafka_cli: CommandLine, job: RewindableJob) -> None:
    job.follow(kafka_cli)
    Path("then.csv").write_text(kafka_cli.done("checkpoint", "show", job.name, "--csv"))
    job.commit(0, 19)
    assert moves(kafka_cli, job, "--from-file", "then.csv") == [(0, 20, 15, 5, 0, None), (1, 10, 10, 0, 0, None)]
    planned = kafka_cli(
        "rewind", "plan", job.name, "--to-offset", "4", "--csv", "--task", "Partition 1", "-o", "a.json"
    )
    Path("planned.csv").write_text(planned.out)
    assert moves(kafka_cli, job, "--from-file", "planned.csv") == [(1, 10, 4, 6, 0, None)]
    Path("planned.csv").write_text(planned.out.replace("Partition 1", "Partition 8"))
    assert "The job has no task 'Partition 8' with inputs." in kafka_cli.refused(
        "rewind", "plan", job.name, "--from-file", "planned.csv"
    )


def test_where_each_task_stood_when_a_run_began(kafka_cli: CommandLine, job: RewindableJob) -> None:
    now = ms_of(system_clock())
    job.begin_run(1, now + 1000)
    job.begin_run(2, now + 3000)
    for partition, offset, at in ((0, 4, 1500), (1, 2, 2000), (0, 12, 4000)):
        job.commit(partition, offset, time=now + at)
    job.follow(kafka_cli)
    assert moves(kafka_cli, job, "--to-run", "2") == [(0, 13, 5, 8, 0, None), (1, 3, 3, 0, 0, None)]
    ((number,),) = kafka_cli.ask("select deployment_number from coordinator.config_deployment where run_number = 2")
    assert moves(kafka_cli, job, "--to-deployment", str(number)) == [(0, 13, 5, 8, 0, None), (1, 3, 3, 0, 0, None)]
    unknown = kafka_cli.refused("rewind", "plan", job.name, "--to-deployment", "99")
    assert unknown == f"Job {job.name}/1 has no deployment 99. It has deployments 1 to {number}."
    message = kafka_cli.refused("rewind", "plan", job.name, "--to-run", "1")
    assert message == "Nothing to rewind: no selected partition has an offset for the beginning of run 1."
