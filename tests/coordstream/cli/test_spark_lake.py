"""`coordstream spark archive`, `spark replay --from LAKE` and `retention --archived-in LAKE` on Spark."""

from collections.abc import Callable
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from eventlog.postgres.connection import connect
from eventlog.recording import read_recording
from eventlog.secret_policy import SecretPolicy
from projections.fold.rows import Swept
from projections.fold.settings import FoldSettings
from projections.projector import Projector
from projections.tracked_logs import Observation, logs_of, write_observations
from tests.coordstream.cli import test_retention as retained
from tests.coordstream.command_line import COORDINATOR, MASK_KEY, RECORDING_A, CommandLine, recording

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NOW: Final = datetime(2027, 1, 1, tzinfo=UTC)
SETTINGS: Final = FoldSettings(SecretPolicy(MASK_KEY.encode()))
FINGERPRINTS: Final = """
select f.* from (select distinct job_name, job_id from coordinator.job) j
cross join lateral coordinator.fingerprint(j.job_name, j.job_id) f order by 1
"""
LIVE_KEYS: Final = """
select e.key from projection.message_current c join eventlog.event e using (log_id, log_offset)
where c.body is not null order by e.log_offset limit 2
"""


@pytest.fixture
def spark_cli(cli: CommandLine, spark: "SparkSession", monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """The command line, with the Spark session of the run."""

    def session(_name: str, _conf: dict[str, str]) -> Any:
        return nullcontext(spark)

    for command in ("spark.archive", "spark.replay", "retention"):
        monkeypatch.setattr(f"coordstream.cli.{command}.spark_session", session)
    monkeypatch.setattr("spark_jobs.dispatch.LINE_SECONDS", float("inf"))
    return cli


@pytest.fixture
def on_new_database(
    clone_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[], CommandLine]:
    """Sets a new database as that of the settings, and returns its command line."""

    def switch() -> CommandLine:
        url = clone_database()
        monkeypatch.setenv("COORDSTREAM_DATABASE_URL", url)
        return CommandLine(url, capsys)

    return switch


def archive(cli: CommandLine, lake: Path) -> str:
    return cli.done("spark", "archive", "--output", lake)


def sweep(url: str) -> None:
    """Sweep two keys, as a resync does whose topic has lost their tombstones."""
    with connect(url) as connection:
        log = logs_of(connection, COORDINATOR)[0]
        swept = [Swept(log.next_offset - 1, key) for (key,) in connection.execute(LIVE_KEYS, binary=True)]
        with connection.transaction():
            write_observations(connection, log.log_id, [Observation(at, "swept", key) for at, key in swept], NOW)
            Projector(connection, log, SETTINGS, lambda: NOW).apply([], swept=swept)


def test_a_lake_of_two_runs_is_replayed_into_a_new_database(
    spark_cli: CommandLine, on_new_database: Callable[[], CommandLine], tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    first = [event for _, event in read_recording(RECORDING_A[0])][:100]
    spark_cli.done("import", recording(tmp_path / "first.jsonl", first, COORDINATOR))
    assert archive(spark_cli, lake).startswith("Run 1: 100 events of 1 logs in ")
    spark_cli.done("import", *RECORDING_A)
    sweep(spark_cli.database_url)
    assert archive(spark_cli, lake).startswith("Run 2: 715 events of 2 logs in ")
    assert archive(spark_cli, lake) == "Nothing is new in 2 logs.\n"
    expected = spark_cli.ask(FINGERPRINTS)

    new = on_new_database()
    assert new.done("spark", "replay", "--from", "lake").startswith("Replayed 2 logs: 815 events, in ")
    assert new.ask(FINGERPRINTS) == expected
    new.done("verify", "--all")
    again = new("spark", "replay", "--from", lake, "--json").json
    assert (again["added"], again["skipped"], again["failures"]) == (0, 815, [])
    assert new.ask(FINGERPRINTS) == expected
    assert new.refused("spark", "replay", "--from", lake, "--jobs", "x*").startswith(f"No job in '{lake}' matches")
    assert "restored as they were at its last run" in new.refused(
        "spark", "replay", "--from", lake, "--until", "2026-01-01", code=2
    )


def test_a_removed_or_changed_file_is_named_before_anything_is_written(
    spark_cli: CommandLine, on_new_database: Callable[[], CommandLine], tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    spark_cli.done("import", RECORDING_A[0])
    archive(spark_cli, lake)
    new = on_new_database()
    file = max(lake.rglob("*.parquet"))
    content, name = file.read_bytes(), str(file.relative_to(lake))
    file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    replay = ("spark", "replay", "--from", str(lake))
    assert new.refused(*replay) == f"Lake '{lake}': the file {name} was changed. Restore it."
    file.unlink()
    assert new.refused(*replay).startswith(f"Lake '{lake}' lacks the file {name} (")
    assert new.is_empty()
    file.write_bytes(content)
    new.done(*replay)


def test_a_retention_detaches_only_what_the_lake_has(
    spark_cli: CommandLine, on_new_database: Callable[[], CommandLine], tmp_path: Path
) -> None:
    lake, count = tmp_path / "lake", "select count(*) from eventlog.event"
    retention = ("retention", "--keep", "365d", "--all", "--archived-in", str(lake))
    spark_cli.done("import", recording(tmp_path / "a", retained.COORDINATOR_EVENTS[:300], retained.COORDINATOR))
    assert spark_cli.refused(*retention).startswith(f"'{lake}' is not a lake. Write one with")
    archive(spark_cli, lake)
    retained.import_all(spark_cli, tmp_path)
    before, expected = spark_cli.ask(count), spark_cli.ask(FINGERPRINTS)
    for words in (retention, (*retention, "--dry-run")):
        assert f"Run `coordstream spark archive --output {lake}` first. Nothing was changed." in spark_cli.refused(
            *words
        )
    assert spark_cli.ask(count) == before
    archive(spark_cli, lake)
    assert retained.DETACHED in spark_cli(*retention).err
    assert spark_cli.ask(count) < before

    new = on_new_database()
    new.done("spark", "replay", "--from", lake)
    assert (new.ask(count), new.ask(FINGERPRINTS)) == (before, expected)
