"""The pages of the recorded job."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.fixtures.coordstream.serve.site import Site

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


def test_a_task_has_plots_and_says_where_it_would_start(recorded_site: Site) -> None:
    page = recorded_site.get("/task", job=JOB, task="Partition 3")
    labels = [str(picture["aria-label"]) for picture in page.all("svg")]
    assert labels[0].startswith("Commits per minute from 2026-11-21 09:16:37 to 2026-11-21 09:18:13: at most 15")
    assert labels[1].startswith("Checkpoint offsets of kafka.page-views.3 from ")
    assert labels[1].endswith(": 19 to 24")
    (line, *_) = page.all("polyline")
    assert str(line["points"]).endswith("1000,4")
    assert "kafka.page-views.3 starts after offset 24. The checkpoint decides: the last of version 2" in page.text
    assert "24 25 (checkpoint)" in page.text


def test_a_task_as_of_a_time_is_that_of_the_time(recorded_site: Site) -> None:
    page = recorded_site.get("/task", job=JOB, task="Partition 3", as_of=AFTER_RUN_1)
    assert "As of 2026-11-21 09:16:59 UTC." in page.text
    assert str(page.all("svg")[1]["aria-label"]).endswith(": 19 to 19")
    box = next(box for box in page.all("input") if box.get("name") == "as_of")
    assert box["value"] == AFTER_RUN_1
    kept = [link for link in page.links if urlsplit(link).path == "/job"]
    assert all(parse_qs(urlsplit(link).query)["as_of"] == [AFTER_RUN_1] for link in kept)
    assert (
        "No commits in this time"
        in recorded_site.get("/task", job=JOB, task="Partition 3", as_of="2026-11-21T09:16:31Z").text
    )


def test_config_shows_values_changes_and_differences(recorded_site: Site) -> None:
    now = recorded_site.get("/job/config", job=JOB, key="app.note")
    assert "1 of them match" in now.text
    assert "fourth incarnation" in now.text
    then = recorded_site.get("/job/config", job=JOB, key="app.note", as_of=AFTER_RUN_1)
    assert "first incarnation" in then.text
    assert "fourth incarnation" not in then.text
    compared = recorded_site.get("/job/config", job=JOB, key="app.note", parameters={"from": AFTER_RUN_1})
    assert "app.note changed first incarnation fourth incarnation" in compared.text
    assert "Equal." in recorded_site.get("/job/config", job=JOB, key="job.id", parameters={"from": AFTER_RUN_1}).text


def test_deployments_are_listed_by_run_and_lead_to_their_differences(recorded_site: Site) -> None:
    page = recorded_site.get("/job/deployments", job=JOB)
    assert [heading.get("rowspan") for heading in page.all("th") if heading["scope"] == "rowgroup"] == ["2"] * 4
    differences = [link for link in page.links if "from=" in link]
    assert len(differences) == 8
    assert "app.note changed second incarnation fourth incarnation" in recorded_site.get(differences[1]).text
    earlier = recorded_site.get("/job/deployments", job=JOB, as_of=AFTER_RUN_1)
    assert len([heading for heading in earlier.all("th") if heading["scope"] == "rowgroup"]) == 1


def test_startpoints_have_their_steps(recorded_site: Site) -> None:
    page = recorded_site.get("/job/startpoints", job=JOB)
    assert "kafka.page-views.7 Partition 3 upcoming" in page.text
    then = recorded_site.get("/job/startpoints", job=JOB, as_of="2026-11-21T09:17:10Z")
    assert "Partition 3 kafka.page-views.3 timestamp 1700000007500" in then.text


def test_anomalies_of_a_time_are_those_up_to_it(recorded_site: Site) -> None:
    assert "Anomalies 0" in recorded_site.get("/job/anomalies", job=JOB, as_of="2026-11-21T09:16:31Z").text


@pytest.mark.parametrize(
    ("path", "parameters", "status", "sentence"),
    [
        ("/job", {"job": "wordcont_pv"}, 404, 'No job "wordcont_pv". Did you mean "wordcount_pv"?'),
        ("/job", {}, 400, 'Missing parameter "job".'),
        ("/job", {"job": ""}, 400, 'Missing parameter "job".'),
        ("/job", {"job": "' or true --"}, 404, 'No job "\' or true --".'),
        ("/task", {"job": JOB, "task": "Partition 33"}, 404, 'no task "Partition 33". Did you mean "Partition 3"'),
        (
            "/task",
            {"job": JOB, "task": "Partition 3", "span": "1y"},
            400,
            'Invalid value of "span": expected one of',
        ),
        ("/", {"as_of": "noon"}, 400, "Parameter \"as_of\": Invalid time 'noon'. Use ISO 8601"),
        ("/", {"page": "0"}, 400, 'Invalid value of "page": expected a number from 1 to 100,000.'),
        ("/quarantine", {"page": "x"}, 400, 'Invalid value of "page"'),
        ("/job/config", {"job": JOB, "from": "noon"}, 400, 'Parameter "from": Invalid time'),
    ],
)
def test_what_is_wrong_is_said_on_a_page(
    recorded_site: Site, path: str, parameters: dict[str, str], status: int, sentence: str
) -> None:
    page = recorded_site.get(path, status, parameters)
    assert sentence in page.text
    box = next(box for box in page.all("input") if box.get("name") == "as_of")
    assert box["value"] == parameters.get("as_of", "")


def test_files_of_the_pages_are_kept_by_browsers(recorded_site: Site) -> None:
    page = recorded_site.get("/")
    for link in page.all("link"):
        answer = recorded_site.served.client.get(str(link["href"]))
        assert answer.headers["cache-control"] == "max-age=31536000, immutable"
        assert answer.headers["content-type"].split(";")[0] in {"text/css", "image/svg+xml"}
    assert recorded_site.served.client.get("/static/..%2Froutes.py").status_code == 404
