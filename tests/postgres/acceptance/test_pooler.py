"""Commands and `serve` behind PgBouncer in transaction mode, where a session is any client's."""

import os
import pwd
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy.engine import make_url

from eventlog.postgres.connection import connect
from tests.fixtures.coordstream.command_line import CommandLine
from tests.fixtures.coordstream.serve.serving import serving
from tests.fixtures.postgres_server import temporary_home
from tests.fixtures.waiting import wait_until

_SETTINGS: Final = """
[databases]
{dbname} = host={host} port={port} dbname={dbname} user={user} password={password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listen_port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 1
"""


@contextmanager
def transaction_pooler(database_url: str) -> Iterator[str]:
    """The URL of a database through a pooler whose clients share one session. Skips without PgBouncer."""
    program = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin")
    if program is None:
        pytest.skip("pgbouncer is not installed (Debian's package has this name)")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with temporary_home() as folder:
        settings = folder / "pgbouncer.ini"
        settings.write_text(_SETTINGS.format(**conninfo_to_dict(database_url), listen_port=port))
        settings.chmod(0o644)
        user = pwd.getpwnam("nobody").pw_uid if os.geteuid() == 0 else None  # it refuses to run as root
        with subprocess.Popen([program, "-q", settings], user=user, stderr=subprocess.DEVNULL) as process:
            try:
                url = make_url(database_url).set(host="127.0.0.1", port=port).render_as_string(hide_password=False)
                wait_until(lambda: _answers(url), what="pgbouncer")
                yield url
            finally:
                process.terminate()


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True


pytestmark = pytest.mark.slow


@pytest.fixture
def pooled(wordcount: CommandLine, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The URL of recording A's database through the pooler, which is also that of the command line."""
    with wordcount.connection() as owner:
        owner.execute(f"alter database {owner.info.dbname} set statement_timeout = '1h'".encode())
    with transaction_pooler(wordcount.database_url) as url:
        monkeypatch.setenv("COORDSTREAM_DATABASE_URL", url)
        yield url


def test_what_a_session_is_left_with_hinders_no_other_client(wordcount: CommandLine, pooled: str) -> None:
    with serving(pooled) as served:
        for _ in range(8):
            assert served.client.get("/").status_code == 200
    for _ in range(2):
        with connect(pooled, keeps_timeouts=True) as session:
            for number in range(8):
                assert session.execute("select %s::integer", (number,)).fetchone() == (number,)
        for words in ("verify --all", "status", "job list", "quarantine", "lag --stored"):
            assert wordcount(*words.split()).code == (words == "lag --stored")
    with psycopg.connect(pooled) as other:
        asked = "select current_user = session_user, current_setting('statement_timeout'), count(*) from eventlog.log"
        assert other.execute(asked, prepare=False).fetchone() == (True, "1h", 2)
