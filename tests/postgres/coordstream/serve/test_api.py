"""The relations as JSON, compared with the relations in SQL."""

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from psycopg import sql

from coordstream.queries.rows import fetch
from coordstream.relations import RELATIONS
from eventlog.postgres.connection import Connection, connect
from tests.builders import config_deleted, config_set
from tests.fixtures.acceptance.imported_job import ImportedJob
from tests.fixtures.acceptance.odd_jobs import import_hand_made_jobs
from tests.fixtures.coordstream.serve.site import Site

JOB = "wordcount_pv"


def every_page(site: Site, path: str, **parameters: Any) -> list[dict[str, Any]]:
    """The rows of all pages."""
    answer = site.json(path, **parameters)
    rows: list[dict[str, Any]] = answer["rows"]
    while answer["next"]:
        address = urlsplit(answer["next"])
        assert address.path == path
        answer = site.json(path, **dict(parse_qsl(address.query)))
        assert answer["rows"]
        rows += answer["rows"]
    return rows


def test_the_relations_are_listed_with_their_columns(recorded_site: Site) -> None:
    listed = {each["relation"]: each for each in recorded_site.json("/api")["relations"]}
    assert listed.keys() == RELATIONS.keys()
    assert listed["checkpoint"]["columns"]["partition_id"] == "integer"
    assert listed["checkpoint"]["columns"]["record_time"] == "timestamptz"
    assert recorded_site.json(listed["job"]["href"])["rows"][0]["job_name"] == JOB


@pytest.mark.parametrize("name", sorted(RELATIONS))
def test_the_pages_of_a_relation_are_all_of_its_rows(recorded_site: Site, recorded_url: str, name: str) -> None:
    expected = all_rows(recorded_url, name)
    rows = every_page(recorded_site, f"/api/{name}", limit=max(len(expected) // 2, 1))
    assert len(rows) == len(expected)
    assert sorted(map(repr, rows)) == sorted(map(repr, expected))


@pytest.mark.parametrize("name", ["config_history", "checkpoint_history", "startpoint_history", "event"])
def test_the_history_of_a_job_is_read_in_ranges_of_offsets(
    recorded_site: Site, recorded_url: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("coordstream.serve.api.FIRST_WIDTH", 10)
    expected = all_rows(recorded_url, name)
    rows = every_page(recorded_site, f"/api/{name}", limit=len(expected) // 3, job=JOB)
    assert sorted(map(repr, rows)) == sorted(map(repr, expected))
    offsets = [(row["stream_kind"], row["incarnation"], row["log_offset"] or 0) for row in rows]
    assert offsets == sorted(offsets) or name == "startpoint_history"


def test_deletes_at_one_offset_are_on_many_pages(site: Site, database_url: str, connected: Connection) -> None:
    import_hand_made_jobs(connected)
    for name in ("config_history", "task_container_history", "checkpoint_history"):
        rows = every_page(site, f"/api/{name}", job="swept", limit=1)
        assert len(rows) == sum(row["job_name"] == "swept" for row in all_rows(database_url, name))


def all_rows(url: str, name: str) -> list[dict[str, Any]]:
    with connect(url) as connection:
        return fetch(connection, sql.SQL("select * from coordinator.{}").format(sql.Identifier(name)))


def test_columns_filter_rows(recorded_site: Site) -> None:
    tasks = ("Partition 1", "Partition 2")
    rows = recorded_site.json("/api/checkpoint", task_name=tasks, stream_name="page-views")["rows"]
    assert {row["task_name"] for row in rows} == set(tasks)
    assert {row["stream_name"] for row in rows} == {"page-views"}
    assert recorded_site.json("/api/checkpoint", partition_id=3)["rows"][0]["partition_id"] == 3
    assert recorded_site.json("/api/config", is_sensitive="true")["rows"] == []
    at = recorded_site.json("/api/commit_history", limit=1)["rows"][0]["record_time"]
    assert {row["record_time"] for row in recorded_site.json("/api/commit_history", record_time=at)["rows"]} == {at}


def test_a_time_range_is_inclusive(recorded_site: Site) -> None:
    times = [row["record_time"] for row in recorded_site.json("/api/commit_history")["rows"]]
    since, until = sorted(times)[10], sorted(times)[20]
    found = recorded_site.json("/api/commit_history", since=since, until=until)["rows"]
    assert sorted(row["record_time"] for row in found) == [time for time in sorted(times) if since <= time <= until]


def test_a_relation_as_of_a_time_and_an_offset(recorded_site: Site, recorded_url: str) -> None:
    with connect(recorded_url) as connection:
        for parameter, value in (("as_of", "2026-11-21T09:16:59Z"), ("as_of_offset", 200)):
            function = sql.Identifier("coordinator", f"checkpoint_{parameter}")
            query = sql.SQL("select * from {}(%(name)s, '1', %(value)s)").format(function)
            expected = fetch(connection, query, {"name": JOB, "value": value})
            rows = every_page(recorded_site, "/api/checkpoint", job=JOB, limit=5, **{parameter: value})
            assert expected
            assert sorted(map(repr, rows)) == sorted(map(repr, expected))


def test_secrets_are_fingerprints(site: Site, connected: Connection) -> None:
    ImportedJob(connected, "orders", coordinator=[config_set("db.password", "hunter2"), config_deleted("db.password")])
    history = site.json("/api/config_history", config_key="db.password")
    assert history["rows"][0]["config_value"].startswith("hmac-sha256:")
    assert "hunter2" not in "".join(site.served.client.get(f"/api/{name}").text for name in RELATIONS)
