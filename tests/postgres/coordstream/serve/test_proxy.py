"""The pages and the API at a path of nginx."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.fixtures.coordstream.serve.serving import Served, serving
from tests.fixtures.coordstream.serve.site import Site
from tests.fixtures.waiting import wait_until

pytestmark = pytest.mark.slow

BASE = "/tools/coordstream"
SETTINGS = """
daemon off;
pid {folder}/nginx.pid;
error_log stderr;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
  uwsgi_temp_path {folder}; scgi_temp_path {folder};
  server {{
    listen 127.0.0.1:{port};
    location {base}/ {{ proxy_pass http://127.0.0.1:{upstream}; }}
  }}
}}
"""


@contextmanager
def behind_nginx(served: Served, folder: Path, upstream_path: str) -> Iterator[Site]:
    """The service behind nginx, which replaces the base path by ``upstream_path``, or keeps it if that is empty."""
    program = shutil.which("nginx", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin")
    if program is None:
        pytest.skip("nginx is not installed (Debian's package nginx-light)")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = folder / "nginx.conf"
    settings.write_text(SETTINGS.format(folder=folder, port=port, base=BASE, upstream=f"{served.port}{upstream_path}"))
    command = [program, "-p", str(folder), "-c", str(settings), "-g", "master_process off;"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
                wait_until(lambda: _answers(client), what="nginx")
                yield Site(replace(served, client=client))
        finally:
            process.terminate()


def _answers(client: httpx.Client) -> bool:
    try:
        return client.get(f"{BASE}/healthz").is_success
    except httpx.TransportError:
        return False


@pytest.mark.parametrize("upstream_path", ["", "/"], ids=["kept", "left out"])
def test_all_addresses_are_below_the_path_of_a_proxy(recorded_url: str, tmp_path: Path, upstream_path: str) -> None:
    with serving(recorded_url, base_path=BASE) as served, behind_nginx(served, tmp_path, upstream_path) as site:
        seen: set[str] = set()
        waiting = [f"{BASE}/"]
        while waiting:
            link = waiting.pop()
            if link.startswith("#") or (path := urlsplit(link).path) in seen:
                continue
            assert path.startswith(f"{BASE}/")
            seen.add(path)
            page = site.get(link)
            waiting += page.links
            for tag, name in (("link", "href"), ("img", "src"), ("form", "action")):
                addresses = [str(element[name]) for element in page.all(tag)]
                assert all(address.startswith(f"{BASE}/") for address in addresses)
                assert {site.served.client.get(address).status_code for address in addresses} <= {200, 400}
        assert {f"{BASE}/job", f"{BASE}/job/config", f"{BASE}/task", f"{BASE}/quarantine"} < seen
        assert f"{BASE}/" in site.get(f"{BASE}/nothing", 404).links
        assert site.get(f"{BASE}/job/?job=wordcount_pv").text == site.get(f"{BASE}/job?job=wordcount_pv").text
        assert site.json(f"{BASE}/api")["relations"][0]["href"].startswith(f"{BASE}/api/")
        following = site.json(f"{BASE}/api/config", limit=1)["next"]
        assert site.json(following)["rows"]
