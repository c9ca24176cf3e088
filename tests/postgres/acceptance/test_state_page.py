"""The queries of docs/state.md show what the page says."""

import re
from typing import Final

from eventlog.postgres.connection import Connection
from tests.checkout import CHECKOUT
from tests.fixtures.acceptance import samza_answers as samza
from tests.fixtures.acceptance.imported_job import ImportedJob

TEXT: Final = (CHECKOUT / "docs" / "state.md").read_text(encoding="utf-8")
_EXAMPLE: Final = re.compile(r"^```sql\n(.*?)^```\n\n^```text\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_query_shows_what_the_page_says(database: Connection) -> None:
    job = ImportedJob(database, "wordcount_pv")
    job.import_recorded(job.coordinator_stream, samza.recorded_stream("coordinator"))
    job.import_recorded(job.checkpoint_stream, samza.recorded_stream("checkpoint"))
    ((query, shown),) = _EXAMPLE.findall(TEXT)
    cursor = database.execute(query)
    assert cursor.description is not None
    rows = [[column.name for column in cursor.description], *([str(value) for value in row] for row in cursor)]
    assert [re.split(r" +\| ", line.strip()) for line in shown.splitlines()] == rows
