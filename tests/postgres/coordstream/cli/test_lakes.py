"""A lake is written, verified, imported, and proves what a retention detaches. Needs no Spark."""

import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Final

import pytest
from deltalake import DeltaTable

from eventlog.recording import read_recording
from spark_jobs.lake import archive
from spark_jobs.lake.table import LakeError, open_lake
from spark_jobs.place import is_lake
from tests.fixtures.acceptance.torture import scaled
from tests.fixtures.coordstream.command_line import (
    CHECKPOINT,
    COORDINATOR,
    FINGERPRINTS,
    MASK_KEY,
    RECORDING_A,
    CommandLine,
    Finished,
    in_own_process,
    recording,
    started,
)
from tests.fixtures.object_stores import S3Server
from tests.postgres.coordstream.cli import test_retention as retained

COUNT: Final = "select count(*) from eventlog.event"
HORIZONS: Final = "select count(*) from eventlog.horizon"


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


def test_a_lake_of_two_runs_is_imported_into_a_new_database(
    cli: CommandLine, on_new_database: Callable[[], CommandLine], tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    first = [event for _, event in read_recording(RECORDING_A[0])][:100]
    cli.done("import", recording(tmp_path / "first.jsonl", first, COORDINATOR))
    assert cli.done("export", "--lake", lake) == "Run 1: 100 events of 1 logs in 1 files.\n"
    cli.done("import", *RECORDING_A)
    assert cli.done("export", "--lake", lake) == "Run 2: 715 events of 2 logs in 2 files.\n"
    assert cli.done("export", "--lake", lake) == "Nothing is new in 2 logs.\n"
    compared = [(row["stream_name"], row["event_count"], row["lake_events"]) for row in verified(cli, lake)]
    assert compared == [(CHECKPOINT, 388, 388), (COORDINATOR, 427, 427)]
    expected = cli.ask(FINGERPRINTS)

    new = on_new_database()
    assert f"{COORDINATOR}: 427 new events, 0 already present" in new.done("import", lake)
    assert new.ask(FINGERPRINTS) == expected
    new.done("verify", "--all")
    assert {(row["added"], row["skipped"]) for row in new.rows("import", lake)} == {(0, 388), (0, 427)}
    assert new.done("export", "--lake", lake) == "Nothing is new in 2 logs.\n"

    other = on_new_database()
    other.done("import", *RECORDING_A)
    assert "that this database lacks: it is the lake of another one" in other.refused("export", "--lake", lake)


def verified(cli: CommandLine, lake: Path) -> list[dict[str, object]]:
    return sorted(cli.rows("verify", "--all", "--against", lake), key=lambda row: row["stream_name"])


def test_a_retention_detaches_only_what_the_lake_has(
    cli: CommandLine, on_new_database: Callable[[], CommandLine], tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    retention = ("retention", "--keep", "365d", "--all", "--yes", "--archived-in", str(lake))
    cli.done("import", recording(tmp_path / "a", retained.COORDINATOR_EVENTS[:300], retained.COORDINATOR))
    assert cli.refused(*retention).startswith(f"'{lake}' is not a lake: it has no Delta table. Write one with")
    cli.done("export", "--lake", lake)
    retained.import_all(cli, tmp_path)
    before, expected = cli.ask(COUNT), cli.ask(FINGERPRINTS)
    for words in (retention, (*retention, "--dry-run")):
        assert f"Run `coordstream export --lake {lake}` first. Nothing was changed." in cli.refused(*words)
    assert cli.ask(COUNT) == before
    cli.done("export", "--lake", lake)
    assert retained.DETACHED in cli(*retention).err
    detached = cli.ask(COUNT)
    assert detached < before
    assert all(row["event_count"] < row["lake_events"] for row in cli.rows("verify", "--all", "--against", lake))
    early = ("config", "show", retained.JOB, "--as-of", "2022-06-01T00:00Z")
    assert "is retained from" in cli.refused(*early)

    fetched = [row["fetched_count"] for row in cli.rows("rebuild", "--all", "--from", lake)]
    assert sum(fetched) == before[0][0] - detached[0][0]
    assert (cli.ask(COUNT), cli.ask(FINGERPRINTS), cli.ask(HORIZONS)) == (before, expected, [(0,)])
    assert "app.day\t150" in cli.done(*early)
    cli.done("verify", "--all")
    assert {row["fetched_count"] for row in cli.rows("rebuild", "--all", "--from", lake)} == {0}

    new = on_new_database()
    new.done("import", lake)
    assert (new.ask(COUNT), new.ask(FINGERPRINTS)) == (before, expected)


def test_commands_name_the_damage(cli: CommandLine, on_new_database: Callable[[], CommandLine], tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    cli.done("import", *RECORDING_A)
    cli.done("export", "--lake", lake)
    next(lake.glob("*checkpoint*/*.parquet")).unlink()
    ended = cli("verify", "--all", "--against", lake)
    assert ended.code == 1
    assert ended.err.count("\n") == 1
    assert ended.err.startswith(f"Lake '{lake}', {CHECKPOINT} (incarnation 1): ")
    assert COORDINATOR in ended.out
    refused = cli.refused("retention", "--keep", "1s", "--all", "--yes", "--archived-in", lake)
    assert refused.endswith("Nothing was changed.")
    rebuilt = cli("rebuild", "--all", "--from", lake)
    assert (rebuilt.code, rebuilt.err) == (1, f"Cannot rebuild {CHECKPOINT}. {ended.err}")
    imported = on_new_database()("import", lake)
    assert (imported.code, imported.err) == (1, f"Cannot import {CHECKPOINT}. {ended.err}")
    assert imported.out.startswith(f"{COORDINATOR}: 427 new events")


def test_changed_and_lost_events_are_named_and_lost_ones_are_taken_back(cli: CommandLine, tmp_path: Path) -> None:
    cli.done("import", *RECORDING_A)
    cli.done("export", "--lake", tmp_path / "lake")
    expected = cli.ask(FINGERPRINTS)
    with cli.connection() as connection:
        connection.execute("set session_replication_role = replica")  # the archive is append-only
        connection.execute("update eventlog.event set value = 'x' where log_offset = 9")
    lost = cli("verify", "--all", "--against", tmp_path / "lake").err
    assert lost.count("does not have the archived event at offset 9 of ") == 2
    with cli.connection() as connection:
        connection.execute("set session_replication_role = replica")
        connection.execute("delete from eventlog.event where log_offset between 5 and 9 or log_offset > 380")
    assert cli("rebuild", "--all").err.count("fetch them from a lake: `coordstream rebuild --from PATH`") == 2
    assert [row["fetched_count"] for row in cli.rows("rebuild", "--all", "--from", tmp_path / "lake")] == [12, 51]
    assert cli.ask(FINGERPRINTS) == expected
    cli.done("verify", "--all")


def test_runs_at_once_add_every_event_once(cli: CommandLine, tmp_path: Path) -> None:
    cli.done("import", *RECORDING_A)

    def export(_number: int) -> Finished:
        return in_own_process("export", "--lake", str(tmp_path / "lake"), **cli.settings)

    with ThreadPoolExecutor(3) as pool:
        ended = list(pool.map(export, range(3)))
    assert sum(each.out.startswith("Run 1: 815 events") for each in ended) == 1
    for each in ended:
        assert each.code == 0 or "Another run has written to lake" in each.err
    assert DeltaTable(tmp_path / "lake").count() == 815
    verified(cli, tmp_path / "lake")


@pytest.mark.torture
def test_kills_leave_every_event_once(cli: CommandLine, tmp_path: Path) -> None:
    cli.done("import", *RECORDING_A)
    lake, moments = tmp_path / "lake", Random(7)
    for _ in range(scaled(3, 20)):
        with started(cli, "export", "--lake", lake) as process, suppress(subprocess.TimeoutExpired):
            process.wait(moments.uniform(0.5, 2.5))
        if is_lake(str(lake)):
            found = open_lake(str(lake))
            assert found.table.count() == sum(log.events for log in found.logs.values())
            assert all(found.position(key) == log.next_offset for key, log in found.logs.items())
    cli("export", "--lake", lake)
    assert DeltaTable(lake).count() == 815
    verified(cli, lake)


def test_a_run_that_fails_adds_nothing_and_the_next_one_goes_on(
    cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise LakeError("killed")

    lake, unread = tmp_path / "lake", "__samza_coordinator_unread_1"
    cli.done("import", *RECORDING_A)
    with monkeypatch.context() as patch:
        patch.setattr(archive, "commit_run", killed)
        assert cli.refused("export", "--lake", lake) == "killed"
    assert DeltaTable(lake).count() == 0
    assert cli.refused("import", lake).startswith(f"Lake '{lake}' has no run yet.")
    assert len(list(lake.rglob("*.parquet"))) == 2
    (lake / f"stream_name={CHECKPOINT}").rename(tmp_path / "elsewhere")
    (lake / f"stream_name={CHECKPOINT}").touch()
    assert cli.refused("export", "--lake", lake).startswith(f"Lake '{lake}' cannot be used: ")
    (lake / f"stream_name={CHECKPOINT}").unlink()
    assert cli.done("export", "--lake", lake).startswith("Run 1: 815 events")
    cli.done("log", "create", unread)
    cli.ask("update projection.position set fold_version = 'none', next_offset = 0 where log_id = 1 returning log_id")
    ended = cli("export", "--lake", lake)
    assert (ended.code, ended.out) == (1, "Nothing is new in 2 logs.\n")
    assert f"Cannot archive {unread}. It has not been followed yet. Run `coordstream follow {unread}" in ended.err
    assert f"Cannot archive {COORDINATOR}. The rows of {COORDINATOR} are missing" in ended.err


def test_an_object_store_has_a_lake(cli: CommandLine, clone_database: Callable[[], str], s3_server: S3Server) -> None:
    cli.done("import", *RECORDING_A)
    lake = f"s3://{s3_server.bucket()}/lake"
    store = {"ACCESS_KEY_ID": "test", "SECRET_ACCESS_KEY": "test", "REGION": "us-east-1", "ALLOW_HTTP": "true"}
    settings = {f"AWS_{name}": value for name, value in {**store, "ENDPOINT_URL": s3_server.url}.items()}
    for url, words, printed in (
        (cli.database_url, ("export", "--lake", lake), "Run 1: 815 events of 2 logs in 2 files."),
        (cli.database_url, ("verify", "--all", "--against", lake, "--json"), '"lake_events": 427'),
        (clone_database(), ("import", lake), f"{CHECKPOINT}: 388 new events"),
    ):
        more = {"COORDSTREAM_DATABASE_URL": url, "COORDSTREAM_MASK_KEY": MASK_KEY}
        ended = in_own_process(*words, **settings, **more)
        assert ended.code == 0, ended.err
        assert printed in ended.out


@pytest.mark.parametrize(
    "words",
    [
        ("export", "--lake", "lake"),
        ("import", "lake"),
        ("verify", "--all", "--against", "lake"),
        ("rebuild", "--all", "--from", "lake"),
        ("retention", "--all", "--keep", "1s", "--yes", "--archived-in", "lake"),
        ("spark", "archive", "--output", "lake"),
    ],
)
def test_a_missing_extra_is_named(
    cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    def find(name: str) -> ModuleSpec | None:
        return None if name == "deltalake" else find_spec(name)

    cli.done("import", *RECORDING_A)
    (tmp_path / "lake" / "_delta_log").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("coordstream.errors.find_spec", find)
    missing = "A lake needs the package \"deltalake\". Install it: pip install 'coordstream[lake]'."
    assert cli.refused(*words) == missing
