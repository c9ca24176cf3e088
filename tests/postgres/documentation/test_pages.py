"""What docs/safety.md and docs/state.md show can be done as it stands there, and has the rows that they show."""

import re
from typing import Final

from coordstream.postgres.programs import SERVER_SETTINGS
from eventlog.events import NewEvent
from eventlog.postgres.connection import Connection
from eventlog.postgres.log import PostgresEventLog
from eventlog.streams import coordinator_stream_name, identify
from tests.checkout import CHECKOUT
from tests.fixtures.acceptance.odd_jobs import import_recording_a

SAFETY: Final = (CHECKOUT / "docs" / "safety.md").read_text(encoding="utf-8")
STATE: Final = (CHECKOUT / "docs" / "state.md").read_text(encoding="utf-8")


def test_the_example_of_an_append_appends(connected: Connection) -> None:
    (statement,) = re.findall(r"^```sql\n(.*?)^```$", SAFETY, re.MULTILINE | re.DOTALL)
    log = PostgresEventLog.create(connected, identify(coordinator_stream_name("orders")))
    log.append([NewEvent(b"k", b"v")] * 7)
    assert connected.execute(statement.encode()).fetchone() == (7,)
    (event,) = log.read(7)
    assert (event.key, event.value) == (b'[1,"set-config","app.note"]', b'{"values":{"value":"hello"}}')


def test_the_embedded_server_has_the_settings_that_others_need() -> None:
    named = dict(re.findall(r"^ +(log_\w+) = (\w+)$", SAFETY, re.MULTILINE))
    assert len(named) == 3
    assert {name: SERVER_SETTINGS[name] for name in named} == named


def test_the_query_of_states_shows_what_the_page_says(database: Connection) -> None:
    import_recording_a(database)
    ((query, shown),) = re.findall(r"^```sql\n(.*?)^```\n\n^```text\n(.*?)^```", STATE, re.MULTILINE | re.DOTALL)
    cursor = database.execute(query.encode())
    assert cursor.description is not None
    rows = [[column.name for column in cursor.description], *([str(value) for value in row] for row in cursor)]
    lines = [re.split(r" *\| *", line.strip()) for line in shown.splitlines()]
    assert [lines[0], *lines[2:]] == rows
