"""`coordstream follow` in a process of its own."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from benchmarks.processes import cpu_seconds
from eventlog.postgres.connection import Connection, connect
from tests.fixtures.waiting import wait_until

ATTACH_SECONDS: Final = 600
STOP_SECONDS: Final = 60
CONNECTION_NAMES: Final = "coordstream follow%"

_ATTACHED: Final = """
select count(*), count(*) filter (where state = 'live')
from projection.position join eventlog.log using (log_id) where stream_name = any(%s)
"""
_BACKENDS: Final = """
select pid from pg_stat_activity where datname = current_database() and application_name like %s
"""


class FollowerProcess:
    """A running follower, and the database that it writes to."""

    def __init__(self, process: subprocess.Popen[bytes], said: Path, connection: Connection) -> None:
        self._process = process
        self._said = said
        self._connection = connection
        self.pid = process.pid

    def wait_until_attached(self, stream_names: Sequence[str]) -> None:
        """Return when the follower has started, and reads all of the streams."""
        wait_until(lambda: self._counts(stream_names)[0] == len(stream_names), ATTACH_SECONDS, "all streams to be read")

    def wait_until_live(self, stream_names: Sequence[str]) -> None:
        """Return when all of the streams are caught up."""
        wait_until(lambda: self._counts(stream_names)[1] == len(stream_names), ATTACH_SECONDS, "all streams to be live")

    def cpu(self) -> float:
        """The follower's CPU time in seconds so far."""
        return cpu_seconds(self.pid)

    def backends_cpu(self) -> float:
        """The CPU time in seconds so far of the server's processes for its connections."""
        return cpu_seconds(*(pid for (pid,) in self._connection.execute(_BACKENDS, (CONNECTION_NAMES,))))

    def _counts(self, stream_names: Sequence[str]) -> tuple[int, int]:
        """How many of the streams are attached, and how many of these are live."""
        if self._process.poll() is not None:
            raise RuntimeError(self._said.read_text())
        row = self._connection.execute(_ATTACHED, (list(stream_names),)).fetchone()
        return (0, 0) if row is None else (row[0], row[1])


@contextmanager
def following(url: str, stream_names: Sequence[str], brokers: str | None = None) -> Iterator[FollowerProcess]:
    """A follower of streams of these brokers, or of the logs in the database; stopped at the end."""
    command = [sys.executable, "-m", "coordstream", "follow", *stream_names]
    with tempfile.TemporaryDirectory(prefix="coordstream-bench-") as home, connect(url) as connection:
        said = Path(home) / "said"
        with said.open("wb") as output:
            process = subprocess.Popen(command, env=environment_of(url, Path(home), brokers), stderr=output)
        try:
            yield FollowerProcess(process, said, connection)
        finally:
            process.terminate()
            process.wait(STOP_SECONDS)


def environment_of(url: str, home: Path, brokers: str | None = None) -> dict[str, str]:
    """The environment of this process with the benchmark's settings of coordstream."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("COORDSTREAM_")}
    ours = {"HOME": str(home), "DATABASE_URL": url, "MASK_KEY": "the benchmark's key"}
    if brokers is not None:
        ours["KAFKA_BOOTSTRAP_SERVERS"] = brokers
    return others | {f"COORDSTREAM_{name}": value for name, value in ours.items()}
