"""A replay in `local[2]` gives the rows of an import, by the fingerprints of all relations; 2,000 logs if long."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from eventlog.postgres.connection import connect
from tests.acceptance.torture import scaled
from tests.coordstream.command_line import MASK_KEY, RECORDING_A, in_own_process
from tests.spark_jobs.recorded_fleet import FINGERPRINTS, write_fleet

JOBS: Final = scaled(10, 1_000)
EVENTS: Final = scaled(200, 2_000)

pytestmark = [pytest.mark.spark, pytest.mark.torture]


def test_logs_of_many_jobs_and_recording_a_are_those_of_an_import(
    database_url: str, clone_database: Callable[[], str], tmp_path: Path
) -> None:
    folder, other = tmp_path / "recordings", clone_database()
    write_fleet(folder, JOBS, EVENTS)
    for file in RECORDING_A:
        (folder / file.name).symlink_to(file)
    files = sorted(map(str, folder.iterdir()))
    assert len(files) == 2 * JOBS + 2
    for url, words in (
        (database_url, ("spark", "replay", "--from", str(folder), "--master", "local[2]")),
        (other, ("import", "--processes", "2", *files)),
    ):
        done = in_own_process(*words, COORDSTREAM_DATABASE_URL=url, COORDSTREAM_MASK_KEY=MASK_KEY)
        assert done.code == 0, done.err[-3_000:]
        print(done.out[-300:])
    with connect(database_url) as replayed, connect(other) as imported:
        fingerprints = replayed.execute(FINGERPRINTS).fetchall()
        assert len({row[:2] for row in fingerprints}) == JOBS + 1
        assert fingerprints == imported.execute(FINGERPRINTS).fetchall()
