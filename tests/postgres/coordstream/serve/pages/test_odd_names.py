"""Names with characters that mean something in addresses or in HTML lead to their pages, also as of a time."""

from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from tests.fixtures.coordstream.command_line import CommandLine
from tests.fixtures.coordstream.serve.serving import serving
from tests.fixtures.coordstream.serve.site import Site


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
