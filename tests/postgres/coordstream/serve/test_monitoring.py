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
from eventlog.timestamps import ms_of
from tests.builders import checkpoint_v1, recorded, task_container
from tests.fixtures.acceptance.imported_job import ImportedJob
from tests.fixtures.coordstream.command_line import CommandLine, recording
from tests.fixtures.coordstream.serve.serving import Served, serving
from tests.fixtures.coordstream.serve.site import Site
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


def test_the_anomalies_are_counted_again_after_a_rebuild(cli: CommandLine, tmp_path: Path) -> None:
    events = recorded(checkpoint_v1("Partition 0", {"kafka.in.0": offset}) for offset in ("7", "3"))
    cli.done("import", recording(tmp_path / "r.jsonl", events, "__samza_checkpoint_ver_1_for_orders_1"))
    with cli.connection() as connection:
        connection.execute("truncate projection.suspect_checkpoint")
    with serving(cli.database_url) as served:
        assert "coordstream_job_anomalies" not in samples(served)
        cli("rebuild", "--all")
        wait_until(lambda: "coordstream_job_anomalies" in samples(served), what="the anomaly")


AS_FOLLOWED = "update projection.position set state = 'live', heartbeat_at = now(), state_detail = null"


def change(cli: CommandLine, statement: str) -> None:
    with cli.connection() as connection:
        connection.execute(statement.encode())


def test_a_schema_that_changes_while_it_serves_is_not_ready(cli: CommandLine) -> None:
    with serving(cli.database_url) as served:
        assert served.client.get("/readyz").json()["reasons"] != [ANOTHER_VERSION]
        change(cli, "comment on schema coordinator is 'Relations 0'")
        assert served.client.get("/readyz").json()["reasons"] == [ANOTHER_VERSION]


def test_without_its_database_it_is_live_and_nothing_is_ready_until_that_answers(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "WAIT_SECONDS", 0.5)
    with serving("postgresql://u@127.0.0.1:1/d") as served:
        live = served.client.get("/healthz")
        assert (live.status_code, live.text) == (200, "ok\n")
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
    assert sorted(found.read(pool, {1, 2, 3})) == [1, 3]  # it was the turn of 2, which is unknown now
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
