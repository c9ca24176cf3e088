"""What docs/safety.md shows can be done as it stands there."""

import re
from typing import Final

from coordstream.postgres.programs import SERVER_SETTINGS
from eventlog.events import NewEvent
from eventlog.postgres.connection import connect
from eventlog.postgres.log import PostgresEventLog
from eventlog.streams import coordinator_stream_name, identify
from tests.checkout import CHECKOUT

PAGE: Final = CHECKOUT / "docs" / "safety.md"


def test_the_example_of_an_append_appends(database_url: str) -> None:
    (statement,) = re.findall(r"^```sql\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    with connect(database_url) as owner:
        log = PostgresEventLog.create(owner, identify(coordinator_stream_name("orders")))
        log.append([NewEvent(b"k", b"v")] * 7)
        assert owner.execute(statement.encode()).fetchone() == (7,)
        (event,) = log.read(7)
    assert (event.key, event.value) == (b'[1,"set-config","app.note"]', b'{"values":{"value":"hello"}}')


def test_the_embedded_server_has_the_settings_that_others_need() -> None:
    named = dict(re.findall(r"^ +(log_\w+) = (\w+)$", PAGE.read_text(), re.MULTILINE))
    assert len(named) == 3
    assert {name: SERVER_SETTINGS[name] for name in named} == named
