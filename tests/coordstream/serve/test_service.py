from pathlib import Path

import pytest

from coordstream.errors import CoordstreamError
from coordstream.serve.application import HEADERS
from tests.coordstream.serve.serving import EVERYWHERE, serving

SECRET = "0123456789abcdef"


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    file = tmp_path / "token"
    file.write_text(SECRET)
    return file


def test_the_process_is_live_even_without_its_database(database_url: str) -> None:
    with serving("postgresql://u@127.0.0.1:1/d") as served:
        answer = served.client.get("/healthz")
    assert (answer.status_code, answer.text) == (200, "ok\n")


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
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "[::2]", "localhost."]
)
def test_a_name_that_was_made_to_resolve_to_loopback_is_refused(database_url: str, host: str) -> None:
    with serving(database_url) as served:
        assert served.client.get("/healthz", headers={"Host": host}).status_code == 421
        assert served.client.get("/healthz", headers={"Host": "localhost:1"}).status_code == 200
        assert served.client.get("/healthz", headers={"Host": "[::1]:1"}).status_code == 200
