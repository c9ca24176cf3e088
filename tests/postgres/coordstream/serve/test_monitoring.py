"""/readyz and /metrics."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from psycopg import sql
from pydantic import SecretStr

from coordstream.queries.jobs import JobLimits
from coordstream.serve import database, monitoring
from coordstream.serve.database import ReadPool
from coordstream.serve.monitoring import ANOTHER_VERSION, RowsByBucket
from coordstream.serve.service import ServiceLimits
from coordstream.settings import Settings
from eventlog.postgres.connection import connect
from eventlog.timestamps import ms_of
from projections.retired_streams import retire_streams
from tests.builders import checkpoint_v1, recorded, set_checkpoint, task_container
from tests.fixtures.acceptance.imported_job import ImportedJob
from tests.fixtures.coordstream.command_line import CHECKPOINT, COORDINATOR, CommandLine, config_event, recording
from tests.fixtures.coordstream.serve.serving import Served, serving
from tests.fixtures.coordstream.serve.site import Site
from tests.fixtures.projections.follow.running import seem_old
from tests.fixtures.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.slow

Labels = frozenset[tuple[str, str]]


def samples(served: Served) -> dict[str, dict[Labels, float]]:
    """The values by name and labels, without those of the process."""
    answer = served.client.get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    found: dict[str, dict[Labels, float]] = {}
    for family in text_string_to_metric_families(answer.text):
        for sample in family.samples:
            found.setdefault(sample.name, {})[frozenset(sample.labels.items())] = sample.value
    return found


def test_the_metrics_of_a_recorded_job(wordcount: CommandLine) -> None:
    with serving(wordcount.database_url) as served:
        found = samples(served)
    job = {("job_name", "wordcount_pv"), ("job_id", "1")}
    log = frozenset({*job, ("stream_name", COORDINATOR), ("stream_kind", "coordinator")})
    assert found["coordstream_log_next_offset"][log] == 427
    assert found["coordstream_log_lag_offsets"][log] == 0
    assert found["coordstream_log_state"][log | {("state", "stopped")}] == 1
    assert found["coordstream_ready"] == {frozenset(): 1}
    assert len(found["coordstream_task_last_commit_age_seconds"]) == 8
    changes = {
        dict(labels)["change"]: value for labels, value in found["coordstream_job_metadata_changes_total"].items()
    }
    assert changes == {"NEW_DEPLOYMENT": 3, "JOB_MODEL": 3, "CONFIG": 2}
    assert "coordstream_log_heartbeat_age_seconds" not in found  # a recording has no follower
    assert [*found["coordstream_jobs_waiting"]] == [frozenset({("metric", "coordstream_job_anomalies")})]
    assert found["process_resident_memory_bytes"][frozenset()] > 0


def test_quarantine_and_gaps_are_counted(cli: CommandLine, tmp_path: Path) -> None:
    spoilt = config_event(0, "a", "1")._replace(value=b"no json")
    cli.done("import", recording(tmp_path / "r.jsonl", [spoilt, config_event(5, "b", "1")]))
    with serving(cli.database_url) as served:
        found = samples(served)
    assert [*found["coordstream_log_quarantined_events"].values()] == [1]
    assert [*found["coordstream_log_gaps"].values()] == [1]


def test_the_lag_of_tasks_is_unknown_rather_than_zero(wordcount: CommandLine) -> None:
    with wordcount.connection() as connection:
        connection.execute(
            "insert into projection.observed_input (job_suffix, system_name, stream_name, partition_id, oldest_offset,"
            " end_offset, observed_at)"
            " select 'wordcount-pv_1', 'kafka', 'page-views', p, 0, case when p % 8 < 4 then 1000 end, now()"
            " from generate_series(0, 15) p"
        )
    with serving(wordcount.database_url) as served:
        lags = samples(served)["coordstream_task_lag_records"]
    assert lags[frozenset({("job_name", "wordcount_pv"), ("job_id", "1"), ("task_name", "Partition 0")})] == 970 + 995
    known = {dict(labels)["task_name"] for labels, value in lags.items() if value == value}  # noqa: PLR0124 (NaN)
    assert known == {f"Partition {number}" for number in range(4)}
    assert len(lags) == 8
    wordcount.done("log", "retire", COORDINATOR, CHECKPOINT)
    with serving(wordcount.database_url) as served:
        assert "coordstream_task_lag_records" not in samples(served)


def test_tasks_that_the_job_no_longer_has_do_not_age(database_url: str) -> None:
    by_stream = "org.apache.samza.container.grouper.stream.GroupBySystemStreamPartitionFactory"
    with connect(database_url) as connection:
        ImportedJob(
            connection,
            "orders",
            coordinator=[set_checkpoint("on the coordinator stream")],
            checkpoints=[
                checkpoint_v1("Partition 0"),
                checkpoint_v1("SSP [kafka, in, 0]", grouper=by_stream),
                checkpoint_v1("SSP [kafka, in, 1]", grouper=by_stream),
            ],
        )
        old = ImportedJob(connection, "views", coordinator=[set_checkpoint("Partition 0")])
        with serving(database_url) as served:
            ages = samples(served)["coordstream_task_last_commit_age_seconds"]
        assert sorted((dict(labels)["job_name"], dict(labels)["task_name"]) for labels in ages) == [
            ("orders", "SSP [kafka, in, 0]"),
            ("orders", "SSP [kafka, in, 1]"),
            ("views", "Partition 0"),
        ]
        retire_streams(connection, [old.coordinator_stream])
    with serving(database_url) as served:
        assert len(samples(served)["coordstream_task_last_commit_age_seconds"]) == 2


def test_the_anomalies_are_counted_again_after_a_rebuild(cli: CommandLine, tmp_path: Path) -> None:
    events = recorded(checkpoint_v1("Partition 0", {"kafka.in.0": offset}) for offset in ("7", "3"))
    cli.done("import", recording(tmp_path / "r.jsonl", events, "__samza_checkpoint_ver_1_for_orders_1"))
    with cli.connection() as connection:
        connection.execute("truncate projection.suspect_checkpoint")
    with serving(cli.database_url) as served:
        assert "coordstream_job_anomalies" not in samples(served)
        cli("rebuild", "--all")
        wait_until(lambda: "coordstream_job_anomalies" in samples(served), what="the anomaly")


STREAM = "__samza_coordinator_orders_1"
AS_FOLLOWED = "update projection.position set state = 'live', heartbeat_at = now(), state_detail = null"


@pytest.fixture
def followed(cli: CommandLine) -> CommandLine:
    """A log in Postgres whose follower seems to be live."""
    cli.done("log", "create", STREAM)
    cli.done("config", "set", "orders", "job.name", "orders")
    cli.follow("--all", "--once")
    with cli.connection() as connection:
        seem_old(connection)
    change(cli, AS_FOLLOWED)
    return cli


def change(cli: CommandLine, statement: str) -> None:
    with cli.connection() as connection:
        connection.execute(statement.encode())


def reasons(served: Served) -> list[str]:
    answer = served.client.get("/readyz")
    found: list[str] = answer.json()["reasons"]
    assert answer.status_code == (503 if found else 200)
    assert answer.json()["is_ready"] is (not found)
    assert f"coordstream_ready {0 if found else 1}.0" in served.client.get("/metrics").text
    return found


@pytest.mark.parametrize(
    ("break_it", "reason"),
    [
        ("heartbeat_at = now()", ""),
        ("state = 'stopped'", "is not followed."),
        ("state = 'catching-up'", "has not been read to its end yet."),
        ("heartbeat_at = now() - interval '1 minute'", "has had no heartbeat for 6"),
        ("state_detail = 'x'", "is not followed now: x."),
        ("state = 'refused', state_detail = 'x'", "is refused: x."),
        ("next_offset = 0", "is 1 offsets behind its end."),
        ("fold_version = 'none'", "has to be rebuilt."),
    ],
)
def test_nothing_wrong_or_unknown_is_ready(followed: CommandLine, break_it: str, reason: str) -> None:
    change(followed, f"update projection.position set {break_it}")
    with serving(followed.database_url, limits=ServiceLimits(ready_lag=0)) as served:
        found = reasons(served)
    assert len(found) == bool(reason)
    assert not found or found[0].removeprefix(STREAM).strip().startswith(reason)


def test_a_log_that_was_never_followed_is_not_ready(followed: CommandLine) -> None:
    followed.done("log", "create", "__samza_coordinator_other_1")
    with serving(followed.database_url) as served:
        (reason, *_) = reasons(served)
    assert reason == "__samza_coordinator_other_1 is not followed. Start its follower."


def test_a_topic_whose_end_is_unknown_is_not_ready(wordcount: CommandLine) -> None:
    change(wordcount, AS_FOLLOWED + ", end_offset = null")
    change(wordcount, "update eventlog.log set backend = 'kafka'")
    with serving(wordcount.database_url) as served:
        assert f"{COORDINATOR} has an unknown lag." in " ".join(reasons(served))
        assert 'coordstream_log_lag_offsets{job_name="wordcount_pv",' in served.client.get("/metrics").text
        assert served.client.get("/metrics").text.count("} NaN") == 2


def test_an_imported_recording_is_ready_and_no_logs_are_not(wordcount: CommandLine) -> None:
    with serving(wordcount.database_url) as served:
        assert reasons(served) == []
    change(wordcount, "delete from projection.job_log; delete from projection.position")
    with serving(wordcount.database_url) as served:
        assert reasons(served) == ["No logs. Import or follow a stream."]


def test_a_schema_of_another_version_is_not_ready(followed: CommandLine) -> None:
    with serving(followed.database_url) as served:
        assert reasons(served) == []
        change(followed, "comment on schema coordinator is 'Relations 0'")
        assert served.client.get("/readyz").json()["reasons"] == [ANOTHER_VERSION]
    with serving(followed.database_url) as served:
        answer = served.client.get("/readyz")
    assert (answer.status_code, "coordstream db migrate" in answer.json()["error"]) == (503, True)


def test_without_its_database_nothing_is_ready_until_it_answers(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "WAIT_SECONDS", 0.5)
    with serving("postgresql://u@127.0.0.1:1/d") as served:
        for path in ("/readyz", "/metrics"):
            answer = served.client.get(path)
            assert answer.status_code == 503
            assert answer.json()["error"].startswith("Cannot reach the database of COORDSTREAM_DATABASE_URL (")
            assert "retry-after" in answer.headers


def test_each_scrape_reads_the_buckets_that_waited_longest(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitoring, "BUDGET_SECONDS", 0)  # for one bucket
    monkeypatch.setattr(monitoring, "WAIT_SECONDS", PATIENCE)
    turn, slow = (
        sql.SQL("select %(bucket)s::int as bucket, clock_timestamp()::text as turn"),
        sql.SQL("select pg_sleep(9)"),
    )
    pool = ReadPool(Settings(database_url=SecretStr(database_url)), database_url, 0.1)
    found, slowly = RowsByBucket(turn), RowsByBucket(slow)
    reads = [found.read(pool, {1, 2, 3}) for _ in range(4)]
    assert slowly.read(pool, {1}) == {}
    pool.close()
    assert sorted(found.read(pool, {1, 2, 3})) == [1, 2, 3]
    assert [sorted(read) for read in reads] == [[1], [1, 2], [1, 2, 3], [1, 2, 3]]
    assert [reads[3][bucket] == reads[2][bucket] for bucket in (1, 2, 3)] == [False, True, True]


@pytest.mark.parametrize(("stopped_seconds", "is_red"), [(90, True), (5, False)])
def test_a_job_that_stops_committing_is_red_everywhere(cli: CommandLine, stopped_seconds: int, is_red: bool) -> None:
    now = datetime.now(UTC)
    with cli.connection() as connection:
        connection.autocommit = True
        commits = [checkpoint_v1(at=ms_of(now) - seconds * 1_000) for seconds in (150, stopped_seconds)]
        ImportedJob(connection, "orders", coordinator=[task_container()], checkpoints=commits, imported_at=now)
    change(cli, "update eventlog.log set backend = 'kafka'")
    change(cli, AS_FOLLOWED)
    state = "silent" if is_red else "committing"
    listed = cli("job", "list", "--problems", "--max-commit-age", "1m", "--json")
    assert (listed.code, [row["state"] for row in listed.json]) == ((1, ["silent"]) if is_red else (0, []))
    limits = ServiceLimits(jobs=JobLimits(commit_age_seconds=60))
    with serving(cli.database_url, limits=limits) as served:
        found, page = samples(served), Site(served).get("/")
    job = frozenset({("job_name", "orders"), ("job_id", "1")})
    assert found["coordstream_job_ok"] == {job: not is_red}
    assert found["coordstream_job_state"] == {job | {("state", state)}: 1}
    assert {"class": f"tag {state}"} in page.all("span")
    assert ("With problems (1)" in page.text) is is_red
    assert cli.rows("job", "list")[0]["state"] == "committing"  # the default is three minutes
