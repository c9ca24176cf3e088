"""Three years of history are cut to one: later times are answered as before, earlier ones are refused."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest
from psycopg.errors import InvalidParameterValue

from eventlog.events import NewEvent, RecordedEvent
from eventlog.postgres.connection import connect
from tests.builders import (
    checkpoint_v1,
    checkpoint_v2,
    config_deleted,
    config_set,
    container_host,
    recorded,
    task_container,
    tombstone,
)
from tests.fixtures.coordstream.command_line import CommandLine, recording
from tests.postgres.acceptance.test_retained_cut import as_of_functions

JOB: Final = "kept"
COORDINATOR: Final = "__samza_coordinator_kept_1"
CHECKPOINT: Final = "__samza_checkpoint_ver_1_for_kept_1"
DAYS: Final = range(0, 3 * 365 + 1, 5)
"""The days on which there are events."""

A_DAY: Final = 86_400_000
FIRST: Final = datetime(2022, 1, 1, tzinfo=UTC)
FIRST_MS: Final = int(FIRST.timestamp() * 1_000)
NEWEST: Final = FIRST + timedelta(days=DAYS[-1], seconds=1)
HORIZON: Final = NEWEST - timedelta(days=365)
STATES: Final = (
    *("config", "checkpoint", "state_checkpoint", "starting_offset", "task_container", "container_host"),
    *("startpoint", "startpoint_fan_out", "changelog_mapping", "task_mode", "task_partition"),
)
OTHER_RELATIONS: Final = ("job", "other_message", "quarantine")
DIGEST: Final = "select count(*), sum(hashtext(r::text)::bigint) from coordinator.{rows}"
DETACHED: Final = "eventlog.event_from_0_detached_1"


def config_days() -> Iterator[NewEvent]:
    """Three events on each day: a value that always changes, one that was set long ago, and one that comes and goes."""
    for day in DAYS:
        at = FIRST_MS + day * A_DAY
        yield config_set("app.day", str(day), at=at)
        if day == 0:
            yield config_set("task.inputs", "kafka.in", at=at)
            yield config_set("app.note", "first", at=at)
        elif day % 100 == 50:
            yield config_deleted("app.note")._replace(timestamp=at)
        elif day % 100 == 90:
            yield config_set("app.note", str(day), at=at)
        yield task_container("Partition 0", str(day // 200))._replace(timestamp=at)
        yield container_host(str(day // 200), f"host-{day // 7}")._replace(timestamp=at)


def checkpoint_days() -> Iterator[NewEvent]:
    """Two tasks commit in both versions. Two more did so in the first year; one of them was deleted then."""
    for day in DAYS:
        at = FIRST_MS + day * A_DAY + 1_000
        for task in ("Partition 0", "Partition 1", *(("Partition 2", "Partition 3") if day < 300 else ())):
            offsets = {"kafka.in.0": str(day)}
            yield checkpoint_v1(task, offsets, at=at)
            yield checkpoint_v2(task, offsets, at=at)
        if day == 300:
            yield tombstone(checkpoint_v1("Partition 3"))._replace(timestamp=at)
            yield tombstone(checkpoint_v2("Partition 3"))._replace(timestamp=at)


COORDINATOR_EVENTS: Final = recorded(config_days())
CHECKPOINT_EVENTS: Final = recorded(checkpoint_days())


def import_all(cli: CommandLine, folder: Path, *, more: tuple[RecordedEvent, ...] = ()) -> str:
    coordinator = recording(folder / "coordinator.jsonl", [*COORDINATOR_EVENTS, *more], COORDINATOR)
    checkpoint = recording(folder / "checkpoint.jsonl", CHECKPOINT_EVENTS, CHECKPOINT)
    return cli.done("import", coordinator, checkpoint)


@pytest.fixture
def kept(cli: CommandLine, tmp_path: Path) -> CommandLine:
    import_all(cli, tmp_path)
    return cli


def state(cli: CommandLine, *times: datetime) -> dict[str, Any]:
    """A digest of the current relations, and of what was true at these times."""
    current = {name: f"{name} r where (job_name, job_id) = (%s, '1')" for name in (*STATES, *OTHER_RELATIONS)}
    then = {f"{name} at {at}": f"{name}_as_of(%s, '1', '{at}') r" for at, name in product(times, STATES)}
    with cli.connection() as connection:
        return {
            asked: connection.execute(DIGEST.format(rows=rows).encode(), (JOB,)).fetchone()
            for asked, rows in (current | then).items()
        }


def later_times() -> list[datetime]:
    return [HORIZON + timedelta(days=day) for day in (0, 1, 49, 51, 365)]


def run(cli: CommandLine, *words: str) -> str:
    """What a retention that must succeed says on standard error."""
    finished = cli("retention", "--keep", "365d", "--all", "--yes", *words)
    assert finished.code == 0
    return finished.err


def test_one_of_three_years_is_kept(kept: CommandLine, tmp_path: Path) -> None:
    before = state(kept, *later_times())
    assert before["config"][0] == 3
    assert DETACHED in run(kept)
    assert state(kept, *later_times()) == before
    kept.done("verify", "--all")
    kept.done("rebuild", "--all")
    kept.done("verify", "--all")
    assert state(kept, *later_times()) == before
    assert "0 new" in import_all(kept, tmp_path)
    newer = RecordedEvent(
        COORDINATOR_EVENTS[-1].offset + 1, FIRST_MS + (DAYS[-1] + 5) * A_DAY, 0, *config_set("app.day", "new")[:2]
    )
    assert "1 new" in import_all(kept, tmp_path, more=(newer,))
    kept.done("verify", "--all")


def test_earlier_times_are_refused_with_the_horizon(kept: CommandLine) -> None:
    run(kept)
    with connect(kept.database_url) as connection:
        functions = as_of_functions(connection)
        for name in functions:
            at = 100 if name.endswith("_offset") else HORIZON - timedelta(days=2)
            query = f"select * from coordinator.{name}(%s, '1', %s)"
            with pytest.raises(
                InvalidParameterValue, match=rf"is retained from {HORIZON:%Y-%m-%d %H:%M:%S} UTC \(offset "
            ):
                connection.execute(query.encode(), (JOB, at)).fetchall()
    for command in (("explain", JOB, "Partition 0"), ("config", "show", JOB)):
        refusal = kept.refused(*command, "--as-of", "2023-01-01T00:00Z")
        assert f"is retained from {HORIZON:%Y-%m-%d %H:%M:%S} UTC (offset " in refusal
        assert "Use that time or a later one." in refusal


def test_only_the_jobs_that_are_named_lose_events(kept: CommandLine, tmp_path: Path) -> None:
    other = recording(tmp_path / "other.jsonl", COORDINATOR_EVENTS, "__samza_coordinator_other_1")
    kept.done("import", other)
    assert kept("retention", "--keep", "365d", JOB).code == 0
    count = "select count(*) from coordinator.config_history where config_key = 'app.day' and job_name = 'other'"
    assert kept.ask(count) == [(len(DAYS),)]
    kept.done("verify", "--all")


NEWEST_AT_HORIZON: Final = f"""
(select max(log_offset) from projection.message_event join projection.event_key using (log_id, key_id)
 where message_key = 'app.day' and record_time <= '{HORIZON}')
"""


@pytest.mark.parametrize("log_offset", ["1", NEWEST_AT_HORIZON], ids=["still current", "overwritten since"])
def test_damaged_rows_are_refused(kept: CommandLine, log_offset: str) -> None:
    with connect(kept.database_url) as connection:
        connection.execute(f"delete from projection.message_event where log_offset = {log_offset}".encode())
    assert "Run `coordstream rebuild --all`" in kept.refused("retention", "--keep", "365d", "--all", "--yes")
    kept.done("rebuild", "--all")
    run(kept)


@pytest.mark.parametrize("held", ["retention", f"archive {CHECKPOINT}"], ids=["two at once", "while a log is rebuilt"])
def test_another_session_that_changes_the_archive_is_waited_for(
    kept: CommandLine, monkeypatch: pytest.MonkeyPatch, held: str
) -> None:
    run(kept)
    monkeypatch.setattr("projections.retention.LOCK_TIMEOUT", "set local lock_timeout = '10ms'")
    with connect(kept.database_url) as other, other.transaction():
        other.execute("select eventlog.hold(%s)", (held,))
        assert "another session uses the archive" in kept.refused("retention", "--keep", "365d", "--all", "--yes")
    run(kept)
    kept.done("verify", "--all")
