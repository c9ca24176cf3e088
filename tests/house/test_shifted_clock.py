"""`make test-clock` shifts the clocks of all processes alike."""

import subprocess
from datetime import UTC, datetime, timedelta

from eventlog.postgres.connection import Connection
from tests.fixtures.waiting import PATIENCE


def test_postgres_has_the_clock_of_the_tests(connection: Connection) -> None:
    ((now,),) = connection.execute("select clock_timestamp()").fetchall()
    assert abs(datetime.now(UTC) - now) < timedelta(seconds=PATIENCE)


def test_programs_with_few_variables_have_the_clock_of_the_tests() -> None:
    printed = subprocess.run(["/bin/date", "+%s"], env={}, capture_output=True, check=True).stdout
    assert abs(datetime.now(UTC).timestamp() - float(printed)) < PATIENCE
