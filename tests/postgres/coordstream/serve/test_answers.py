"""Answers that clients share, and how long they are kept."""

import asyncio
from collections.abc import Callable
from itertools import count
from threading import Event
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from coordstream.serve import answers
from coordstream.serve.answers import Answers
from coordstream.serve.application import Refused
from eventlog.postgres.connection import Connection, connect
from tests.builders import config_set, recorded
from tests.fixtures.acceptance.imported_job import ImportedJob
from tests.fixtures.coordstream.serve.site import Site

PAGE = "/job/config?job=orders"
API = "/api/config?job=orders&config_key=task.class"


def value(site: Site) -> str:
    return str(site.json(API)["rows"][0]["config_value"])


@pytest.mark.parametrize("path", [PAGE, API])
def test_a_client_that_has_the_answer_gets_it_only_after_a_change(site: Site, connected: Connection, path: str) -> None:
    client = site.served.client
    job = ImportedJob(connected, "orders", coordinator=[config_set(value="One")])
    first = client.get(path)
    assert first.headers["cache-control"] == "private, no-cache"
    known = {"If-None-Match": f'"other", W/{first.headers["etag"]}'}
    for condition in (known, {"If-None-Match": "*"}):
        same = client.get(path, headers=condition)
        assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", first.headers["etag"])
        assert same.headers["x-frame-options"] == "DENY"
    job.import_recorded(job.coordinator_stream, recorded([config_set(value="Two")], first=1))
    changed = client.get(path, headers=known)
    assert (changed.status_code, "Two" in changed.text) == (200, True)


def test_every_commit_is_seen_at_once(site: Site, database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "KEPT_SECONDS", 3_600.0)
    change = "update projection.config set config_value = %s"
    with connect(database_url) as older, connect(database_url) as newer:
        job = ImportedJob(older, "orders", coordinator=[config_set(value="0")])
        for number in range(1, 20):
            job.import_recorded(job.coordinator_stream, recorded([config_set(value=str(number))], first=number))
            assert value(site) == value(site) == str(number)
        with older.transaction():
            older.execute(change, ("older",))
            newer.execute("insert into eventlog.retired_stream values ('s', now())")
            assert value(site) == "19"
        assert value(site) == "older"


def test_an_error_is_not_kept(site: Site, connected: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    ImportedJob(connected, "orders", coordinator=[config_set(value="One")])

    def fail(*_arguments: object) -> None:
        raise Refused("Too many requests at once.", 503)

    with monkeypatch.context() as patched:
        patched.setattr("coordstream.serve.api.read_rows", fail)
        refused = site.served.client.get(API)
        assert (refused.status_code, refused.headers["cache-control"]) == (503, "no-store")
    assert value(site) == "One"


def asked(path: str) -> Request:
    return Request({"type": "http", "path": path, "query_string": b"", "headers": []})


class Counted:
    """Computes answers with their number, of a given size."""

    def __init__(self, size: int = 1) -> None:
        self.numbers, self.size = count(1), size

    def __call__(self, _request: Request) -> Response:
        return Response(f"{next(self.numbers)}".ljust(self.size))


def test_all_who_wait_get_one_computation_that_began_after_they_asked() -> None:
    counted, has_begun, may_end = Counted(), Event(), Event()

    def compute(request: Request) -> Response:
        answer = counted(request)
        has_begun.set()
        may_end.wait()
        return answer

    async def ask() -> list[Response]:
        shared = Answers(count().__next__)
        first = asyncio.create_task(shared.answer(asked("/"), compute))
        await asyncio.to_thread(has_begun.wait)
        others = [asyncio.create_task(shared.answer(asked("/"), compute)) for _ in range(50)]
        await asyncio.sleep(0)  # all have asked
        may_end.set()
        return await asyncio.gather(first, *others)

    assert [answer.body for answer in asyncio.run(ask())] == [b"1", *[b"2"] * 50]


def bodies(version: Callable[[], object], compute: Counted, paths: str) -> list[str]:
    """The bodies of answers, asked for one after the other."""

    async def ask() -> list[Any]:
        shared = Answers(version)
        return [bytes((await shared.answer(asked(path), compute)).body).decode().strip() for path in paths]

    return asyncio.run(ask())


def test_kept_answers_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    assert bodies(int, Counted(), "aabab") == ["1", "1", "2", "1", "2"]
    monkeypatch.setattr(answers, "MOST_KEPT", 2)
    assert bodies(int, Counted(), "abcbca") == ["1", "2", "3", "2", "3", "4"]
    monkeypatch.setattr(answers, "MOST_BYTES", 15)
    assert bodies(int, Counted(8), "abba") == ["1", "2", "2", "3"]
    monkeypatch.setattr(answers, "LARGEST", 7)
    assert bodies(int, Counted(8), "aa") == ["1", "2"]
    monkeypatch.undo()
    monkeypatch.setattr(answers, "KEPT_SECONDS", 0.0)
    assert bodies(int, Counted(), "aa") == ["1", "2"]
