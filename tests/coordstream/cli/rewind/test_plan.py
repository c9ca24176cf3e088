"""`coordstream rewind plan`, on inputs of a real broker."""

import json
from pathlib import Path

import pytest

from tests.coordstream.command_line import CommandLine
from tests.coordstream.rewindable_job import RewindableJob
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
    assert json.loads(Path("plan.json").read_text())["version"] == 1
