"""The pages of the recorded job, of many jobs and tasks, and of odd names; tests/transcripts has what pages say."""

import re
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from eventlog.postgres.connection import Connection
from eventlog.startpoint import StartpointOldest
from eventlog.streams import coordinator_stream_name, identify
from tests.builders import FIRST_TIME, checkpoint_v1, config_set, container_host, raw, startpoint, task_container
from tests.fixtures.acceptance.imported_job import ImportedJob
from tests.fixtures.coordstream.command_line import CommandLine
from tests.fixtures.coordstream.serve.serving import serving
from tests.fixtures.coordstream.serve.site import Site
from tests.postgres.acceptance.fleet import copy_jobs

JOB = "wordcount_pv/1"
AFTER_RUN_1 = "2026-11-21T09:16:59Z"


def test_every_link_leads_to_a_page(recorded_site: Site) -> None:
    seen: set[tuple[str, bool, bool]] = set()
    waiting = ["/"]
    while waiting:
        link = waiting.pop()
        address = urlsplit(link)
        shape = (address.path, "from" in parse_qs(address.query), "as_of" in parse_qs(address.query))
        if shape not in seen and not link.startswith("#"):
            seen.add(shape)
            waiting += recorded_site.get(link).links
    paths = {shape[0] for shape in seen}
    assert paths == {
        "/", "/quarantine", "/task", "/job", "/job/config", "/job/deployments", "/job/startpoints", "/job/anomalies",
    }  # fmt: skip


PATHS = (
    "/",
    f"/job?job={JOB}",
    f"/job/config?job={JOB}&from=2026-11-21T09:17Z",
    f"/job/deployments?job={JOB}",
    f"/job/startpoints?job={JOB}",
    f"/job/anomalies?job={JOB}",
    f"/task?job={JOB}&task=Partition+3",
    "/quarantine",
)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("as_of", [None, AFTER_RUN_1])
def test_a_page_is_accessible_and_fetches_nothing_from_elsewhere(
    recorded_site: Site, path: str, as_of: str | None
) -> None:
    page = recorded_site.get(path if as_of is None else f"{path}{'&' if '?' in path else '?'}as_of={as_of}")
    assert page.all("html")[0]["lang"] == "en"
    assert len(page.all("h1")) == 1
    assert len(page.all("caption")) == len(page.all("table"))
    assert all(heading["scope"] in {"col", "row", "rowgroup"} for heading in page.all("th"))
    labelled = {label["for"] for label in page.all("label")}
    assert all(box["id"] in labelled for box in page.all("input") if box.get("type") != "hidden")
    assert all(picture["aria-label"] for picture in page.all("svg"))
    names = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(names) == len(set(names))
    assert not page.all("script")
    for tag, attributes in page.elements:
        assert not [name for name in attributes if name == "style" or name.startswith("on")], tag
        for name in {"href", "src", "action"} & attributes.keys():
            assert re.match(r"(/(?!/)|#)", str(attributes[name])), attributes
    assert any(box.get("name") == "as_of" for box in page.all("input"))


def test_a_time_that_is_invalid_stays_in_its_box(recorded_site: Site) -> None:
    page = recorded_site.get("/", 400, {"as_of": "noon"})
    assert [box["value"] for box in page.all("input") if box.get("name") == "as_of"] == ["noon"]


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        (
            f"/job?job={JOB}&asof=1h",
            'Page "/job" has no parameter "asof". Did you mean "as_of"? Known parameters: as_of',
        ),
        ("/?show=nonsense", 'Invalid value of "show": expected one of all, problems.'),
        ("/quarantine?show=nonsense", 'Invalid value of "show": expected one of unresolved, all.'),
        ("/?as_of=99999999h", "Invalid time '99999999h'. Use one in the years 1 to 9999."),
    ],
)
def test_what_a_page_does_not_know_is_refused(recorded_site: Site, path: str, sentence: str) -> None:
    page = recorded_site.get(path, 400)
    assert sentence in page.text
    assert "asof" not in {box.get("name") for box in page.all("input")}


def test_pages_have_styles_and_an_icon(recorded_site: Site) -> None:
    client = recorded_site.served.client
    for link in recorded_site.get("/").all("link"):
        answer = client.get(str(link["href"]))
        assert answer.headers["content-type"].split(";")[0] in {"text/css", "image/svg+xml"}
    assert client.get("/static/..%2Froutes.py").status_code == 404


HTML = "<script>alert('x')</script>\"><img src=x onerror=alert(1)>&amp;"


def jobs_of(links: list[str]) -> list[str]:
    return [link for link in links if urlsplit(link).path == "/job"]


def test_many_jobs_have_pages_and_a_search(site: Site, connected: Connection) -> None:
    ImportedJob(connected, "orders", coordinator=[config_set()])
    copy_jobs(connected, 119)
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


@pytest.mark.parametrize("as_of", [None, "2030-01-01T00:00Z"])
def test_html_in_names_and_values_is_shown_as_text(site: Site, connected: Connection, as_of: str | None) -> None:
    ImportedJob(
        connected,
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


def test_many_tasks_have_pages_in_the_order_of_their_numbers(site: Site, connected: Connection) -> None:
    checkpoints = [checkpoint_v1(f"Partition {n}", {f"kafka.in.{n}": "7"}) for n in range(120)]
    requests = [startpoint("kafka.in.9", StartpointOldest(FIRST_TIME))]
    ImportedJob(connected, "orders", coordinator=requests, checkpoints=checkpoints)
    first = site.get("/job", job="orders")
    tasks = [parse_qs(urlsplit(link).query)["task"][0] for link in first.links if urlsplit(link).path == "/task"]
    assert tasks == [f"Partition {n}" for n in range(100)]
    assert "101–120 of 120 tasks" in site.get(next(link for link in first.links if "page=2" in link)).text
    found = site.get("/job", job="orders", q="partition 11")
    assert "11 of them match “partition 11”" in found.text
    task = site.get("/task", job="orders", task="Partition 9")
    assert "Previous: Partition 8 Next: Partition 10" in task.text
    assert "Below is why the ignored candidates do not decide" in task.text
    assert "oldest loses expired: created" in task.text
    assert "The archive has no deployment." in site.get("/job/deployments", job="orders").text


def test_quarantine_has_pages_and_gaps_their_reason(site: Site, connected: Connection) -> None:
    job = ImportedJob(connected, "orders", coordinator=[raw(f"key {n}".encode(), b"{}") for n in range(60)])
    connected.execute(
        "insert into projection.gap (log_id, first_offset, last_offset)"
        " select log_id, 7, 9 from projection.job_log where stream_name = %s",
        (job.coordinator_stream,),
    )
    page = site.get("/quarantine")
    assert "Quarantine 60 events" in page.text
    assert "1–50 of 60 events, page 1 of 2" in page.text
    assert "compacted 7 9" in page.text
    assert identify(coordinator_stream_name("orders")).stream_name in page.text
    assert "51–60 of 60 events" in site.get("/quarantine", page=2, job="orders").text
    beyond = site.get("/quarantine", page=99).text
    assert "Quarantine 60 events" in beyond
    assert "51–60 of 60 events, page 2 of 2" in beyond
    assert "None." in site.get("/quarantine", as_of="2000-01-01").text


def test_quarantine_as_of_a_time_has_what_was_resolved_later(site: Site, connected: Connection) -> None:
    ImportedJob(connected, "orders", coordinator=[raw(b"key", b"{}"), raw(b"key", None)])
    assert "Quarantine 0 events" in site.get("/quarantine").text
    then = site.get("/quarantine", as_of="2030-01-01").text
    assert "Quarantine 1 event " in then
    assert "resolved now" in then


def test_times_beyond_the_year_9999_are_shown(site: Site, connected: Connection) -> None:
    far = 1_700_000_000_000_000  # microseconds for milliseconds: the year 55840
    ImportedJob(
        connected,
        "orders",
        coordinator=[config_set(at=far)],
        checkpoints=[checkpoint_v1("Partition 0"), checkpoint_v1("Partition 1", at=far)],
    )
    assert "55840-" in site.get("/").text
    for path in ("/job", "/job/config", "/job/deployments", "/job/startpoints", "/job/anomalies", "/quarantine"):
        page = site.get(path, job="orders")
        assert ("55840-" in page.text) is (path in ("/job", "/job/config", "/job/deployments")), path
    assert "55840-" in site.get("/task", job="orders", task="Partition 1").text
    assert "9999-12-31 00:00:00 UTC is in the future." in site.get("/job/config?job=orders&from=9999-12-31").text
    assert "1 commit up to the last commit" in site.get("/task", job="orders", task="Partition 0").text


@pytest.mark.slow
def test_every_link_of_a_job_with_an_odd_name_names_it(wordcount: CommandLine) -> None:
    with serving(wordcount.database_url) as served:
        for name, as_of in (("a/b c%2Fd&e=f#g?h+i", None), ("größe ☃ ..<b>\"'", "2026-11-21T09:17:00Z")):
            with wordcount.connection() as connection:
                connection.execute("update projection.job_log set job_name = %s", (name,))
            check_links(Site(served), name, as_of)


def check_links(site: Site, name: str, as_of: str | None) -> None:
    """Follow links from the fleet to a job, its config and a task, and check all links of the job's page."""
    job = link_to("/job", site.get("/", as_of=as_of or "").links)
    page = site.get(job)
    assert name in page.text
    for link in page.links:
        asked = parse_qs(urlsplit(link).query)
        assert "job" not in asked or asked["job"] == [f"{name}/1"]
        assert asked.get("as_of", [None]) == [as_of] or link in ("#content", link_now(job))
    for path in ("/job/config", "/task"):
        assert name in site.get(link_to(path, page.links)).text


def link_now(link: str) -> str:
    """The same page without a time."""
    address = urlsplit(link)
    return f"{address.path}?{urlencode({'job': parse_qs(address.query)['job'][0]})}"


def link_to(path: str, links: list[str]) -> str:
    """The first link to a page."""
    return next(link for link in links if urlsplit(link).path == path)
