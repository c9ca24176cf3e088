"""Errors of the server are pages where people read them, and JSON where programs do."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from coordstream.serve import database
from coordstream.serve.application import RETRY_SECONDS
from tests.fixtures.coordstream.serve.serving import EVERYWHERE, serving
from tests.fixtures.coordstream.serve.site import Page, Site


@pytest.fixture
def down(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """The service of a database that does not answer."""
    monkeypatch.setattr(database, "WAIT_SECONDS", 0.5)
    with serving("postgresql://u@127.0.0.1:1/d") as served:
        yield Site(served)


def test_a_page_that_cannot_be_read_now_is_a_page_with_a_link_to_try_again(down: Site) -> None:
    asked = {"job": "a/b", "as_of": "2026-11-21T09:00Z"}
    page = down.get("/job", 503, asked)
    assert "Cannot reach the database of COORDSTREAM_DATABASE_URL (" in page.text
    links = [urlsplit(link) for link in page.links]
    now, again = [parse_qs(link.query) for link in links if link.path == "/job"]
    assert now == {"job": ["a/b"]}
    assert again == {"job": ["a/b"], "as_of": ["2026-11-21T09:00:00Z"]}
    assert down.served.client.get("/").headers["retry-after"] == str(RETRY_SECONDS)


@pytest.mark.parametrize("path", ["/nowhere", "//evil.example/x", "/<script>"])
def test_an_address_without_a_page_leads_to_the_fleet(down: Site, path: str) -> None:
    answer = down.served.client.get(f"http://127.0.0.1:{down.served.port}{path}?q=x")
    page = Page(answer.text)
    assert answer.status_code == 404
    assert [form["action"] for form in page.all("form")] == ["/"]
    assert set(page.links) == {"#content", "/", "/quarantine"}
    assert not page.all("script")


def test_a_missing_token_is_a_page_without_data(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("0123456789abcdef")
    with serving("postgresql://u@127.0.0.1:1/d", EVERYWHERE, file) as served:
        answer = served.client.get("/")
        assert "A token is required" in Page(answer.text).text
        assert (answer.status_code, answer.headers["www-authenticate"][:5]) == (401, "Basic")
        assert served.client.get("/api").json()["error"].startswith("A token is required")
