"""Logs are replayed in executors: the same rows as those of an import, whole or not at all."""

import shutil
from collections.abc import Callable
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from eventlog.log import system_clock
from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.table_partitions import PARTITION_OFFSETS
from eventlog.recording import read_recording, write_recording
from eventlog.secret_policy import SecretPolicy
from eventlog.streams import identify
from projections.fold.settings import FoldSettings
from projections.planner_statistics import finish_imports
from projections.recording_import import import_stream
from spark_jobs.errors import SparkJobError
from spark_jobs.lake.archive import archive
from spark_jobs.lake.replay import lake_streams
from spark_jobs.log_task import LogTaskSettings, StreamTask, run_here
from spark_jobs.recordings import check_recordings, find_files
from spark_jobs.replay import Replayed, replay, select_jobs
from tests.fixtures.coordstream.command_line import COORDINATOR, MASK_KEY, RECORDING_A, in_own_process
from tests.system.house.test_trips import AT_MOST, RUN_AND_COUNT, loaded
from tests.system.spark_jobs.recorded_fleet import FINGERPRINTS, write_fleet

JOBS = 6
EVENTS = 120
FOLD = FoldSettings(SecretPolicy(b"k"))
STREAMS = [
    StreamTask(1, repr, identify(f"__samza_coordinator_{name}")) for name in ("page-views_1", "orders_1", "orders_2")
]


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Recordings of a few jobs."""
    folder = tmp_path_factory.mktemp("fleet")
    write_fleet(folder, JOBS, EVENTS)
    return folder


def replay_files(spark: SparkSession, url: str, place: Path, **options: Any) -> Replayed:
    settings = LogTaskSettings(url, FOLD, **options)
    with connect(url) as connection:
        return replay(spark, connection, check_recordings(spark, find_files(str(place)), settings, 4), settings, 4)


def fingerprints(connection: Connection) -> list[tuple[Any, ...]]:
    return connection.execute(FINGERPRINTS.encode()).fetchall()


def imported(connection: Connection, folder: Path) -> list[tuple[Any, ...]]:
    for file in sorted(folder.iterdir()):
        events = [event for _, event in read_recording(file)]
        import_stream(connection, identify(file.stem), lambda events=events: events, FOLD, system_clock)  # type: ignore[misc]
    return fingerprints(connection)


def count(connection: Connection, table: str) -> int:
    row = connection.execute(f"select count(*) from {table}".encode()).fetchone()
    assert row
    return int(row[0])


def test_recordings_become_the_rows_of_an_import(
    spark: SparkSession, database_url: str, clone_database: Callable[[], str], fleet: Path
) -> None:
    with connect(database_url) as connection, connect(clone_database()) as other:
        done = replay_files(spark, database_url, fleet)
        assert (len(done.results), done.count("skipped", "quarantined"), done.failures) == (2 * JOBS, 0, {})
        assert done.count("added") == count(connection, "eventlog.event")
        expected = imported(other, fleet)
        assert fingerprints(connection) == expected
        again = replay_files(spark, database_url, fleet)
        assert [again.count(figure) for figure in ("added", "skipped", "rebuilt")] == [0, done.count("added"), 0]
        assert fingerprints(connection) == expected


def test_a_replay_ends_when_its_commits_are_on_disk(
    spark: SparkSession, database_url: str, fleet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    incomplete: list[int] = []

    def spy(connection: Connection, added: int) -> None:
        incomplete.append(count(connection, "projection.position where state <> 'stopped'"))
        finish_imports(connection, added)

    monkeypatch.setattr("spark_jobs.replay.finish_imports", spy)
    replay_files(spark, database_url, fleet)
    assert incomplete == [0]


def test_one_file_of_all_logs_gives_the_same_rows(
    spark: SparkSession, database_url: str, clone_database: Callable[[], str], fleet: Path, tmp_path: Path
) -> None:
    one = tmp_path / "one.jsonl.gz"
    readers = [read_recording(file) for file in sorted(fleet.iterdir())]
    write_recording(one, (record for records in zip_longest(*readers) for record in records if record))
    with connect(database_url) as connection, connect(clone_database()) as other:
        assert len(replay_files(spark, database_url, one).results) == 2 * JOBS
        assert fingerprints(connection) == imported(other, fleet)


def test_an_invalid_recording_means_that_nothing_is_written(
    spark: SparkSession, database_url: str, fleet: Path, tmp_path: Path
) -> None:
    shutil.copytree(fleet, tmp_path / "fleet")
    (tmp_path / "fleet" / "x.jsonl").write_text("{}\n")
    with pytest.raises(SparkJobError, match=r"Invalid record in .*x.jsonl, line 1: topic: Field required"):
        replay_files(spark, database_url, tmp_path / "fleet")
    with connect(database_url) as connection:
        assert count(connection, "eventlog.log") == 0


def test_a_replay_creates_only_partitions_that_hold_events(
    spark: SparkSession, database_url: str, clone_database: Callable[[], str], fleet: Path, tmp_path: Path
) -> None:
    topic, event = next(read_recording(next(fleet.glob("*checkpoint*"))))
    offsets = (0, 1, 5_000 * PARTITION_OFFSETS + 7)
    write_recording(tmp_path / "sparse.jsonl", ((topic, event._replace(offset=offset)) for offset in offsets))
    with connect(database_url) as connection:
        assert replay_files(spark, database_url, tmp_path).count("added") == len(offsets)
        assert partitions(connection) == [0, 5_000 * PARTITION_OFFSETS]
        settings = LogTaskSettings(database_url, FOLD)
        archive(str(tmp_path / "lake"), settings.database_url, partial(run_here, settings=settings))
    restored = clone_database()
    with connect(restored) as connection:
        streams = lake_streams(str(tmp_path / "lake"))
        assert replay(spark, connection, streams, LogTaskSettings(restored, FOLD)).count("added") == len(offsets)
        assert partitions(connection) == [0, 5_000 * PARTITION_OFFSETS]


def partitions(connection: Connection) -> list[int]:
    """The first offsets of the partitions, which both tables have."""
    found = [
        connection.execute(
            "select substring(inhrelid::regclass::text from '\\d+$')::bigint from pg_inherits"
            " where inhparent = %s::regclass order by 1",
            (table,),
        ).fetchall()
        for table in ("eventlog.event", "projection.checkpoint_event")
    ]
    assert found[0] == found[1]
    return [first for (first,) in found[0]]


@pytest.mark.parametrize(
    ("pattern", "numbers"),
    [(None, [0, 1, 2]), ("orders*", [1, 2]), ("orders/2", [2]), ("page_views", [0]), ("*/1", [0, 1])],
)
def test_jobs_are_selected_by_a_pattern(pattern: str | None, numbers: list[int]) -> None:
    assert select_jobs(STREAMS, pattern, "x") == [STREAMS[number] for number in numbers]


@pytest.mark.spark
def test_the_commands_run_on_a_server_of_spark_connect(connect_url: str, database_url: str, tmp_path: Path) -> None:
    settings = {"COORDSTREAM_DATABASE_URL": database_url, "COORDSTREAM_MASK_KEY": MASK_KEY}
    for words, printed in (
        (("replay", "--from", str(RECORDING_A[0])), "Replayed 1 log: 427 events"),
        (("verify", "--all", "--json"), COORDINATOR),
        (("archive", "--output", str(tmp_path / "lake")), "Run 1: 427 events of 1 logs in "),
    ):
        command = ("spark", *words, "--master", connect_url)
        ended = in_own_process(*command, program=("-c", RUN_AND_COUNT), **settings)
        assert ended.code == 0, ended.err
        assert printed in ended.out
        assert words[0] != "replay" or loaded(ended.out)[0] <= AT_MOST["spark"]
