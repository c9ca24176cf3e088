"""Commands and `serve` behind PgBouncer in transaction mode, where a session is any client's."""

from collections.abc import Iterator

import psycopg
import pytest

from eventlog.postgres.connection import connect
from tests.fixtures.coordstream.command_line import CommandLine
from tests.fixtures.coordstream.serve.serving import serving
from tests.fixtures.pgbouncer import transaction_pooler

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
        wordcount.rows("verify", "--all")
    with psycopg.connect(pooled) as other:
        asked = "select current_user = session_user, current_setting('statement_timeout'), count(*) from eventlog.log"
        assert other.execute(asked, prepare=False).fetchone() == (True, "1h", 2)
