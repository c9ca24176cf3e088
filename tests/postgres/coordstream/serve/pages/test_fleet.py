"""The page of many jobs, and values that are HTML."""

from urllib.parse import urlsplit

import pytest

from eventlog.postgres.connection import connect
from projections.retired_streams import retire_streams
from tests.builders import checkpoint_v1, config_set, container_host, raw, task_container
from tests.fixtures.acceptance.imported_job import ImportedJob
from tests.fixtures.coordstream.serve.site import Site
from tests.fixtures.projections.follow.running import seem_old
from tests.postgres.acceptance.fleet import copy_jobs

HTML = "<script>alert('x')</script>\"><img src=x onerror=alert(1)>&amp;"


def jobs_of(links: list[str]) -> list[str]:
    return [link for link in links if urlsplit(link).path == "/job"]


def test_many_jobs_have_pages_and_a_search(site: Site, database_url: str) -> None:
    with connect(database_url) as connection:
        ImportedJob(connection, "orders", coordinator=[config_set()])
        copy_jobs(connection, 119)
    first = site.get("/")
    assert "120 jobs" in first.text
    assert "1–50 of 120 jobs, page 1 of 3" in first.text
    assert len(jobs_of(first.links)) == 50
    second = site.get(next(link for link in first.links if "page=2" in link))
    last = site.get(next(link for link in second.links if "page=3" in link))
    assert len(jobs_of(last.links)) == 20
    assert len({*jobs_of(first.links), *jobs_of(second.links), *jobs_of(last.links)}) == 120
    assert len(jobs_of(site.get("/", page=99).links)) == 20
    found = site.get("/", q="COPY-11")
    assert "11 jobs that match “COPY-11”" in found.text
    assert "No job matches “nothing”" in site.get("/", q="nothing").text
    assert "No job matches “%”" in site.get("/", q="%").text


def test_problems_come_first(site: Site, database_url: str) -> None:
    with connect(database_url) as connection:
        seem_old(connection)
        ImportedJob(connection, "accounts", coordinator=[config_set()])
        ImportedJob(connection, "orders", coordinator=[config_set(), raw(b"not json", b"{}")])
        ImportedJob(connection, "views", coordinator=[config_set()])
        connection.execute(
            "update projection.position p set state = 'live', heartbeat_at = now() - interval '1 hour'"
            " from projection.job_log j where j.log_id = p.log_id and j.job_name = 'views'"
        )
    every = site.get("/")
    assert [name for name in ("views", "orders", "accounts") if name in every.text] == ["views", "orders", "accounts"]
    assert [link.rpartition("job=")[2] for link in jobs_of(every.links)] == ["views%2F1", "orders%2F1", "accounts%2F1"]
    assert "1 lost" in every.text
    assert len(jobs_of(site.get("/", show="problems").links)) == 2
    quarantine = site.get("/quarantine")
    assert "1 event" in quarantine.text
    assert "not_json" in quarantine.text or "not json" in quarantine.text
    assert "None." in site.get("/quarantine", job="accounts").text


def test_a_retired_job_is_no_problem(site: Site, database_url: str) -> None:
    with connect(database_url) as connection:
        seem_old(connection)
        old = ImportedJob(connection, "views", coordinator=[config_set()])
        ImportedJob(connection, "orders", coordinator=[config_set()])
        connection.execute("update projection.position set state = 'live', heartbeat_at = now() - interval '1 hour'")
        assert "2 lost" in site.get("/").text
        retire_streams(connection, [old.coordinator_stream])
    every = site.get("/")
    assert "1 lost 1 retired" in every.text
    assert "retired on" in every.text
    assert [link.rpartition("job=")[2] for link in jobs_of(every.links)] == ["orders%2F1", "views%2F1"]
    assert jobs_of(site.get("/", show="problems").links) == jobs_of(every.links)[:1]
    assert any(span["class"] == "tag retired" for span in site.get("/job", job="views").all("span") if "class" in span)


def test_an_empty_database_says_what_to_do(site: Site) -> None:
    assert "The database has no logs yet." in site.get("/").text


@pytest.mark.parametrize("as_of", [None, "2030-01-01T00:00Z"])
def test_html_in_names_and_values_is_shown_as_text(site: Site, database_url: str, as_of: str | None) -> None:
    with connect(database_url) as connection:
        ImportedJob(
            connection,
            "orders",
            coordinator=[
                config_set("job.name", HTML),
                config_set("task.inputs", f"kafka.{HTML}"),
                config_set(f"key.{HTML}", HTML),
                container_host(HTML, HTML),
                task_container(HTML, HTML),
                raw(HTML.encode(), HTML.encode()),
            ],
            checkpoints=[
                checkpoint_v1(HTML, offsets={"kafka.in.0": HTML}),
                checkpoint_v1(HTML, offsets={"kafka.in.0": "7"}),
            ],
        )
    job = f"{HTML}/1"
    pages = {
        path: site.get(path, parameters=parameters | {"as_of": as_of or ""})
        for path, parameters in {
            "/": {"q": HTML},
            "/job": {"job": job, "q": HTML},
            "/job/config": {"job": job, "from": "2020-01-01"},
            "/job/deployments": {"job": job},
            "/job/startpoints": {"job": job},
            "/job/anomalies": {"job": job},
            "/task": {"job": job, "task": HTML},
            "/quarantine": {"job": job},
        }.items()
    }
    for page in [*pages.values(), site.get("/job", 404, job=HTML * 2), site.get("/", 400, as_of=HTML)]:
        values = [value for _, attributes in page.elements for value in attributes.values()]
        assert HTML in page.text or HTML in values
        assert not page.all("script")
        assert {str(picture["src"]).partition("?")[0] for picture in page.all("img")} == {"/static/icon.svg"}
    assert pages["/job/config"].text.count(HTML) >= 4
