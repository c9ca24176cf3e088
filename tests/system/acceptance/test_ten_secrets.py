"""Ten secrets are planted, everything logs as much as it can, and none is seen but by the owner.

A server of the module's own logs every statement and its duration. Commands run with all of Python's loggers at DEBUG.
"""

import gzip
import io
import json
import logging
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

import psycopg
import pytest
from sqlalchemy.engine import make_url

from coordstream.cli import main
from coordstream.postgres import EmbeddedPostgres
from eventlog.events import RecordedEvent
from eventlog.postgres.connection import Connection, connect
from eventlog.recording import write_recording
from eventlog.secret_policy import SecretPolicy
from eventlog.streams import checkpoint_stream_name, coordinator_stream_name
from projections.fold.settings import FoldSettings
from projections.rebuild import rebuild_log
from projections.tracked_logs import logs_of
from tests.builders import recorded
from tests.fixtures.database_users import database_user
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.postgres import migrate
from tests.fixtures.postgres_server import FAST_SETTINGS, running_server
from tests.fixtures.projections.rebuilt import forget, relations
from tests.system.acceptance.ten_secrets import TEN, WORDS, checkpoints, events, forms, shown

#: Libraries that may have set a level of their own, under which the root's has no effect.
OWN_LEVELS: Final = ("alembic", "kafka", "psycopg", "py4j", "sqlalchemy")


class Debugged:
    """Runs commands in this process and keeps what each of them said, by its words."""

    def __init__(self, log: io.StringIO) -> None:
        self._log = log
        self.said: dict[str, str] = {}

    def __call__(self, *words: str | Path, code: int = 0) -> str:
        """Run a command, which must end with this code; what it printed and logged."""
        given = [str(word) for word in words]
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)  # an export writes bytes
        begins = self._log.tell()
        with redirect_stdout(out), redirect_stderr(out):
            ended = main(given)
        printed = out.buffer.getvalue().decode()
        text = printed + self._log.getvalue()[begins:]
        self.said[f"{len(self.said)}: coordstream {' '.join(given)}"] = text
        assert ended == code, f"{given} ended with {ended}"
        return printed


@contextmanager
def debugged() -> Iterator[Debugged]:
    """A command line whose log is read at its most talkative."""
    log = io.StringIO()
    handler = logging.StreamHandler(log)
    handler.setFormatter(logging.Formatter("%(name)s %(levelname)s %(message)s"))
    loggers = [logging.getLogger(), *map(logging.getLogger, OWN_LEVELS)]
    before = [logger.level for logger in loggers]
    loggers[0].addHandler(handler)
    for logger in loggers:
        logger.setLevel(logging.DEBUG)
    try:
        yield Debugged(log)
    finally:
        loggers[0].removeHandler(handler)
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


pytestmark = pytest.mark.slow

TALKATIVE: Final = {
    **FAST_SETTINGS,
    "log_statement": "all",
    "log_min_messages": "debug2",
    "log_min_duration_statement": "0",
    "log_connections": "on",
}
KEY: Final = "a key of the tests"
MASKING: Final = FoldSettings(SecretPolicy(KEY.encode()))
IMPORTED: Final = coordinator_stream_name("imported")
COMMITS: Final = checkpoint_stream_name("imported")
FOLLOWED: Final = coordinator_stream_name("followed")
REFUSED: Final = coordinator_stream_name("refused")
QUESTIONS: Final = (
    ("status",),
    ("log", "show", IMPORTED, "--limit", "1000"),
    ("log", "show", FOLLOWED, "--limit", "1000"),
    ("config", "show", "imported"),
    ("config", "show", "imported", "--as-of", "2030-01-01"),
    ("config", "history", "imported"),
    ("config", "history", "followed"),
    ("checkpoint", "show", "imported"),
    ("checkpoint", "history", "imported"),
    ("startpoint", "show", "imported"),
    ("quarantine",),
)


class Place(NamedTuple):
    """The database with the secrets, and what was logged while they were written."""

    url: str
    server: EmbeddedPostgres
    said: dict[str, str]
    folder: Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("secrets")


@pytest.fixture(scope="module")
def place(folder: Path) -> Iterator[Place]:
    """A database into which the secrets came in every way, where everything was asked and much went wrong."""
    with running_server(TALKATIVE) as server, pytest.MonkeyPatch.context() as environment, debugged() as run:
        url = server.connect_url()
        migrate(url)
        environment.chdir(folder)
        settings = {"DATABASE_URL": url, "HOME": str(folder / "home"), "MASK_KEY": KEY}
        for name, value in settings.items():
            environment.setenv(f"COORDSTREAM_{name}", value)
        bring_in(run, folder, url)
        ask(run, folder)
        provoke(run, folder, url, environment)
        yield Place(url, server, run.said, folder)


def recording(path: Path, stream: str, given: list[RecordedEvent]) -> Path:
    write_recording(path, ((stream, event) for event in given))
    return path


def bring_in(run: Debugged, folder: Path, url: str) -> None:
    """By import (many events: COPY), by append and follow (few: bound parameters), and by a rebuild."""
    run("import", recording(folder / "in.jsonl.gz", IMPORTED, recorded(events(plain=150))))
    run("import", recording(folder / "commits.jsonl", COMMITS, recorded(checkpoints())))
    run("log", "create", FOLLOWED)
    run("log", "append", FOLLOWED, "--from-file", recording(folder / "append.jsonl", FOLLOWED, recorded(events())))
    run("follow", FOLLOWED, "--once")
    with connect(url) as owner:
        before = relations(owner)
        for stream in (IMPORTED, FOLLOWED):
            (log,) = logs_of(owner, stream)
            forget(owner, log)
            rebuild_log(owner, logs_of(owner, stream)[0], MASKING)
        assert relations(owner) == before


def ask(run: Debugged, folder: Path) -> None:
    run("db", "migrate")  # the one command that works through SQLAlchemy
    for question in QUESTIONS:
        run(*question)
        run(*question, "--json")
    run("export", FOLLOWED)
    run("export", IMPORTED, "-o", folder / "out.jsonl.gz")
    run("export", COMMITS, "-o", folder / "commits-out.jsonl")


def provoke(run: Debugged, folder: Path, url: str, environment: pytest.MonkeyPatch) -> None:
    """Errors of all kinds, with the secrets in hand; each once more with its traceback."""
    more = recorded(events(plain=150))
    small = recording(folder / "few.jsonl", REFUSED, recorded(events()))
    many = recording(folder / "many.jsonl", REFUSED, more)
    broken = folder / "broken.jsonl"
    broken.write_text(f'{{"topic":"{REFUSED}","partition":0,"value_b64":"password={WORDS[0]}"\n', encoding="utf-8")
    for trouble in TROUBLES:
        with connect(url) as owner, troubled(owner, *trouble):
            for file in (small, many):
                run("import", file, code=1)
                run("import", file, "--traceback", code=1)
    refuse(run, "import", broken)
    with environment.context() as other:
        other.setenv("COORDSTREAM_MASK_KEY", WORDS[0])
        refuse(run, "import", folder / "in.jsonl.gz")
        refuse(run, "follow", FOLLOWED, "--once")
    for malformed in ("postgresql://app:{}%zz@db/x", "postgresql://app:a@{}@127.0.0.1:1/x", "mysql://app:{}@db/x"):
        with environment.context() as other:
            other.setenv("COORDSTREAM_DATABASE_URL", malformed.format(WORDS[0]))
            refuse(run, "status")
    with environment.context() as other:
        other.setenv("COORDSTREAM_DATABASE_URL", f"postgresql://app:{WORDS[0]}@127.0.0.1:1/x")
        refuse(run, "status")


def refuse(run: Debugged, *words: str | Path) -> None:
    run(*words, code=1)
    run(*words, "--traceback", code=1)


#: A table, and what is done to it so that it takes no secret: two constraints, an end of the session amid a batch.
TROUBLES: Final = (
    ("eventlog.event", "alter table {} add constraint small check (octet_length(value) < 10) not valid"),
    ("projection.message_event", "alter table {} add constraint small check (body is null) not valid"),
    (
        "projection.config",
        """
        create function public.leave() returns trigger language plpgsql as
            'begin perform pg_terminate_backend(pg_backend_pid()); return new; end';
        create trigger small before insert on {} for each row execute function public.leave()
        """,
    ),
)


@contextmanager
def troubled(owner: Connection, table: str, trouble: str) -> Iterator[None]:
    owner.execute(trouble.format(table).encode())
    yield
    owner.execute(f"alter table {table} drop constraint if exists small".encode())
    owner.execute(f"drop trigger if exists small on {table}; drop function if exists public.leave()".encode())


def test_output_shows_no_secret(place: Place) -> None:
    assert len(place.said) > 50
    for command, said in place.said.items():
        assert shown(said) == [], command
    everything = "".join(place.said.values())
    assert "hmac-sha256:" in everything
    assert "sqlalchemy.engine.Engine DEBUG" in everything
    assert "violates check constraint" in everything
    assert "Traceback (most recent call last)" in everything
    assert "due to administrator command" in everything
    assert str(make_url(place.url).password) not in everything


def test_the_servers_log_shows_no_secret(place: Place) -> None:
    log = place.server.log_file.read_text(errors="backslashreplace")
    assert shown(log) == []
    assert "insert into" in log.lower()
    assert "eventlog.append(" in log
    assert "copy eventlog.event" in log.lower()
    assert "violates check constraint" in log


def test_t27_a_reader_sees_no_secret(place: Place) -> None:
    with database_user(place.url, "coordstream_reader") as url, connect(url) as reader:
        everything = list(relation_rows(reader))
        functions = list(as_of_rows(reader))
    assert len(everything) > 500
    assert len(functions) > 100
    assert shown("\n".join([*everything, *functions])) == []
    with database_user(place.url, "coordstream_reader") as url, connect(url) as reader:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            reader.execute("select value from eventlog.event")
        told = reader.execute(
            "select config_key, count(distinct config_value) from coordinator.config_history group by 1"
        )
        changes: dict[str, int] = dict(told.fetchall())
    assert (changes["systems.db.password"], changes["db.credentials"]) == (1, 3)


def relation_rows(reader: Connection) -> Iterator[str]:
    """Every row of every table and view that a reader reads, as text."""
    names = reader.execute(
        "select format('%I.%I', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace"
        " where n.nspname in ('projection', 'coordinator') and c.relkind in ('r', 'p', 'v') order by 1"
    ).fetchall()
    for (name,) in names:
        yield from (row for (row,) in reader.execute(f"select x::text from {name} x".encode()))


def as_of_rows(reader: Connection) -> Iterator[str]:
    """Every row of the relations as of the end, by time and by offset."""
    names = reader.execute(
        "select p.proname, p.proname like '%\\_as\\_of' from pg_proc p"
        " where p.pronamespace = 'coordinator'::regnamespace and p.proname like '%\\_as\\_of%'"
    ).fetchall()
    for name, is_by_time in names:
        at = datetime(2100, 1, 1, tzinfo=UTC) if is_by_time else 1_000
        query = f"select x::text from coordinator.{name}(%s, %s, %s) x".encode()
        yield from (row for (row,) in reader.execute(query, ("imported", "1", at)))


def test_an_export_shows_no_secret(place: Place) -> None:
    files = (place.folder / "out.jsonl.gz", place.folder / "commits-out.jsonl")
    lines = gzip.decompress(files[0].read_bytes()).splitlines() + files[1].read_bytes().splitlines()
    for line in lines:
        row = json.loads(line)
        decoded = [b64decode(row[name] or "").decode("utf-8", "backslashreplace") for name in ("key_b64", "value_b64")]
        assert shown(line.decode() + "".join(decoded)) == []


def test_the_owner_recovers_each(place: Place) -> None:
    with connect(place.url) as owner:
        for stream in (IMPORTED, FOLLOWED):
            rows = owner.execute(
                "select e.value from eventlog.event e join eventlog.log l using (log_id)"
                " where l.stream_name = %s and e.value is not null",
                (stream,),
            ).fetchall()
            archived = "\n".join(bytes(value).decode(errors="backslashreplace") for (value,) in rows)
            assert shown(archived) == sorted(WORDS), [planted.rule for planted in TEN]


def test_every_form_is_one_that_is_found() -> None:
    """The search itself: it knows a secret in the middle of base64, in hex and escaped."""
    for word in WORDS:
        assert all(word in shown(f"<{form}>") for form in forms(word))
    for before in range(3):
        text = json.dumps({"value": "x" * before + WORDS[0] + "yz"}).encode()
        assert shown(text.hex()) == shown(b64encode(text).decode()) == [WORDS[0]]


def test_following_brokers_shows_no_secret(
    topics: Topics, kafka_bootstrap_servers: str, job_name: str, database_url: str, tmp_path: Path
) -> None:
    stream = topics.create(f"__samza_coordinator_{job_name}_1")
    with pytest.MonkeyPatch.context() as environment, debugged() as run:
        environment.chdir(tmp_path)
        brokers = {"KAFKA_BOOTSTRAP_SERVERS": kafka_bootstrap_servers}
        for name, value in {"DATABASE_URL": database_url, "HOME": str(tmp_path), "MASK_KEY": KEY, **brokers}.items():
            environment.setenv(f"COORDSTREAM_{name}", value)
        with_keys = [event for event in events() if event.key is not None]  # as compacted topics require
        file = recording(tmp_path / "in.jsonl", stream, recorded(with_keys))
        run("log", "append", stream, "--from-file", file)
        run("follow", stream, "--once")
        run("log", "show", stream)
        run("status")
    for command, said in run.said.items():
        assert shown(said) == [], command
    with connect(database_url) as owner:
        assert owner.execute("select count(*) from eventlog.event").fetchone() != (0,)
