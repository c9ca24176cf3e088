"""Which requests are answered, and what no answer and no line of the log has."""

import base64
from pathlib import Path
from urllib.parse import quote

import pytest

from coordstream.errors import CoordstreamError
from coordstream.relations import RELATIONS
from coordstream.serve.application import HEADERS, read_token
from tests.fixtures.coordstream.serve.serving import EVERYWHERE, serving
from tests.fixtures.coordstream.serve.site import Site

SECRET = "0123456789abcdef"
HTML = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'"


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    file = tmp_path / "token"
    file.write_text(SECRET)
    return file


def test_every_answer_has_the_headers_that_protect_a_browser(database_url: str) -> None:
    with serving(database_url) as served:
        for path in ("/healthz", "/nowhere"):
            headers = served.client.get(path).headers
            assert {name: headers[name] for name in HEADERS} == HEADERS
            assert headers["cache-control"] == "no-store"
            assert "server" not in headers


def test_other_machines_need_a_token(database_url: str, token_file: Path) -> None:
    with pytest.raises(CoordstreamError, match=r"without a token: other machines can connect to it\. Add --token-file"):
        serving(database_url, EVERYWHERE).__enter__()
    with serving(database_url, EVERYWHERE, token_file) as served:
        get = served.client.get
        assert get("/healthz").status_code == 200
        missing, wrong = get("/x"), get("/x", headers={"Authorization": "Bearer 0123456789abcdee"})
        assert (missing.status_code, wrong.status_code) == (401, 401)
        assert missing.headers["www-authenticate"].startswith("Basic realm=")
        assert get("/x", headers={"Authorization": f"Bearer {SECRET}"}).status_code == 404
        assert get("/x", auth=("me", SECRET), headers={"Host": "monitor.example"}).status_code == 404
        assert get("/x?token=" + SECRET).status_code == 401
    assert SECRET not in "".join(served.lines)


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "[::2]", "[::1].evil", "localhost."]
)
def test_a_name_that_was_made_to_resolve_to_loopback_is_refused(database_url: str, host: str) -> None:
    with serving(database_url) as served:
        assert served.client.get("/healthz", headers={"Host": host}).status_code == 421
        assert served.client.get("/healthz", headers={"Host": "localhost:1"}).status_code == 200
        assert served.client.get("/healthz", headers={"Host": "[::1]:1"}).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/static/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "/static/..%2f..%2fservice.py",
        "/static/%00",
        "//etc/passwd",
        "/api/pg_catalog.pg_authid",
        "/%ff%fe",
    ],
)
def test_a_path_leads_nowhere_else(recorded_site: Site, path: str) -> None:
    client = recorded_site.served.client
    assert client.get(f"{client.base_url}{path}").status_code == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_nothing_can_be_written(recorded_site: Site, method: str) -> None:
    answer = recorded_site.served.client.request(method, "/api/job", content=b"x")
    assert (answer.status_code, answer.json()["error"]) == (405, "Nothing can be written over HTTP. Use GET.")


@pytest.mark.slow
@pytest.mark.parametrize("value", ["'; drop schema coordinator cascade; --", "\x00%s{}", HTML])
def test_sql_in_a_parameter_is_a_value(recorded_site: Site, value: str) -> None:
    served = recorded_site.served
    names = ("job", "task", "as_of", "limit", value)
    for path in ("/job", "/task", "/job/config", "/api/checkpoint", f"/api/{quote(value, safe='')}"):
        for name in names:
            parameters = {"job": "wordcount_pv", "task": "Partition 0", name: value}
            answer = served.client.get(path, params=parameters)
            assert answer.status_code in (200, 400, 404), (path, name, answer.text)
            assert HTML not in answer.text or answer.headers["content-type"] == "application/json"
    assert len(served.client.get("/api").json()["relations"]) == len(RELATIONS)
    assert served.client.get("/api/job").json()["rows"][0]["job_name"] == "wordcount_pv"


def test_the_log_has_one_line_for_a_request_and_no_secret(recorded_site: Site) -> None:
    served = recorded_site.served
    served.client.get("/a%0Ab%1B[31m/" + "c" * 500 + "?token=hunter2", headers={"Authorization": "Bearer hunter2"})
    served.client.get("/job?job=hunter2")
    line, other = served.lines[-2:]
    assert line.startswith("127.0.0.1 GET /a\\nb\\x1b[31m/ccc")
    assert "hunter2" not in line + other
    assert len(line) < 600
    assert line.isprintable()


def test_an_unexpected_error_is_answered_without_its_text(recorded_site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "hunter2"

    def fail(*_arguments: object) -> None:
        raise RuntimeError(secret)

    monkeypatch.setattr("coordstream.serve.api.read_rows", fail)
    answer = recorded_site.served.client.get("/api/job?limit=1")
    assert (answer.status_code, answer.headers["x-frame-options"]) == (500, "DENY")
    assert answer.json()["error"].startswith("Unexpected error RuntimeError.")
    assert recorded_site.served.lines[-1].endswith("RuntimeError")
    assert secret not in answer.text + "".join(recorded_site.served.lines)


def basic(text: str) -> str:
    return "Basic " + base64.b64encode(text.encode()).decode()


ACCEPTED = (f"Bearer {SECRET}", f"bearer  {SECRET}", basic(f":{SECRET}"), basic(f"anyone:{SECRET}"))
REJECTED = (
    *("", SECRET, "Bearer", "Bearer ", f"Bearer {SECRET}x", f"Bearer {SECRET[:-1]}", f"Token {SECRET}"),
    *(basic(SECRET), basic(f"{SECRET}:"), f"Basic {SECRET}", "Basic \N{SNOWMAN}", "Bearer \xff"),
)


def test_only_the_token_of_the_file_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "token").write_text(f"{SECRET}\n")
    token = read_token(tmp_path / "token", "--metrics-token-file")
    assert [header for header in (*ACCEPTED, *REJECTED) if token.is_in(header)] == [*ACCEPTED]
    assert SECRET not in repr(vars(token))
