"""The demo (`make demo`): Spark replays a recorded Samza job into SQL relations, verifies and reads them.

It runs the commands that a user would run, on a database of its own, and looks at the times of the recording. It stops
the server if it started it.
"""

import os
import shlex
import sys
from pathlib import Path
from typing import Final

from psycopg import sql
from rich.text import Text

from coordstream.cli.app import INTERRUPTED
from coordstream.cli.app import main as coordstream
from coordstream.cli.output import page
from coordstream.cli.spark_session import PACKAGES
from coordstream.database import URL_SETTING, open_database
from coordstream.errors import CoordstreamError, require_packages
from coordstream.postgres import EmbeddedPostgres
from coordstream.queries.rows import fetch
from coordstream.settings import TOML_FILE, default_home, load_settings
from eventlog.errors import EventLogError
from projections.errors import ProjectionError

HOME_SETTING: Final = "COORDSTREAM_HOME"
DATA: Final = Path(__file__).parents[1] / "data"
JOB: Final = "wordcount_pv"

TIMES: Final = sql.SQL(
    """
    select max(record_time) filter (where stream_kind = 'checkpoint' and log_offset = 111) as run_1_ended,
           max(record_time) filter (where stream_kind = 'coordinator' and log_offset = 112) as requested,
           max(record_time) filter (where stream_kind = 'coordinator' and log_offset = 194) as fanned_out
    from coordinator.event where job_name = %(job)s and log_offset in (111, 112, 194)
    """
)
"""Moments of the recording: the last commit of run 1, the last request before run 2, the last fan-out of run 2."""

STARTING_OFFSETS: Final = """\
select task_name, system_name, stream_name, partition_id, decided_by, startpoint_type, startpoint_value, starting_offset
from coordinator.starting_offset_as_of('{job}', '1', '{requested}') order by task_name, stream_name"""
STEPS: Final = (
    (
        "Config: who changed what",
        "Each of the four runs wrote every key again; these are the latest real changes.",
        *("config", "history", "{job}", "--changes", "--limit", "12"),
    ),
    ("Each task's checkpoint now", "What was processed last, by input partition.", "checkpoint", "show", "{job}"),
    (
        "Each task's checkpoint at the end of run 1",
        "The same question as of a time in the recording.",
        *("checkpoint", "show", "{job}", "--as-of", "{run_1_ended}"),
    ),
    (
        "The history of one task",
        "Each commit once, though the job wrote it in two versions.",
        *("checkpoint", "history", "{job}", "--task", "Partition 1", "--preferred"),
    ),
    (
        "Startpoints requested before run 2",
        "An operator requested other starting offsets for these tasks.",
        *("startpoint", "show", "{job}", "--as-of", "{requested}"),
    ),
    (
        "How they were fanned out when run 2 started",
        "One request can reach many tasks; where two compete, the newer one wins.",
        *("startpoint", "show", "{job}", "--as-of", "{fanned_out}"),
    ),
    (
        "Where each task would start, as of before run 2",
        "In SQL: a startpoint overrides a checkpoint. No offset is shown if only Kafka knows it.",
        *("psql", "--", "-P", "pager=off", "-c", STARTING_OFFSETS),
    ),
)
"""For each: a title, what it shows, and the words of the command."""

NEWEST_COMMITS: Final = """\
select task_name, checkpoint_id, record_time from coordinator.commit_history order by record_time desc limit 5"""


class DemoError(CoordstreamError):
    """A step of the demo failed."""


def main() -> int:
    """Run the demo; 0 if every step succeeded."""
    other_database = f"{URL_SETTING}= " if os.environ.get(URL_SETTING) else ""
    try:
        home = choose_home()
        server = EmbeddedPostgres(home)
        was_running = server.status().state == "running"
        try:
            show(home)
        finally:
            if not was_running:
                server.stop()
    except (CoordstreamError, EventLogError, ProjectionError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    try_next(f"{other_database}{HOME_SETTING}={shlex.quote(str(home))}")
    return 0


def choose_home() -> Path:
    """Set COORDSTREAM_HOME to the demo's folder, and unset the database of the settings, which stays untouched."""
    os.environ.pop(URL_SETTING, None)
    os.environ[HOME_SETTING] = os.environ.get(HOME_SETTING) or str(default_home() / "demo")
    settings = load_settings()
    if settings.database_url is not None:
        raise DemoError(f"{TOML_FILE} sets database_url, but the demo uses its own database. Run it in another folder.")
    return settings.home


def show(home: Path) -> None:
    """Run all steps. Raises DemoError at the first that fails."""
    _step("Start Postgres and migrate it", f"Everything of the demo is in {home}.", "up")
    require_packages(*PACKAGES)
    from coordstream.spark import jdbc_driver  # noqa: PLC0415 (needs pyspark)

    # the one JVM of the demo has the JDBC driver, which only the last of its sessions needs
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"--jars {shlex.quote(str(jdbc_driver()))} pyspark-shell"
    why = "An executor archives and folds each log, in one transaction with its position."
    _step("Replay the two topics of a recorded job on Spark", why, "spark", "replay", "--from", str(DATA))
    with open_database() as database:
        (row,) = fetch(database.connection, TIMES, {"job": JOB})
    for title, why, *words in STEPS:
        _step(title, why, *(word.format(job=JOB, **row) for word in words))
    why = "Every log is folded again, and its rows are compared with the tables."
    _step("Verify it on Spark", why, "spark", "verify", JOB)
    output = home / "checkpoint_progress"
    why = f"Over JDBC, all partitions in one snapshot; the picture will be {output / 'checkpoint_progress.png'}."
    report = ("spark", "checkpoint_progress", JOB, "--output", str(output), "--overwrite")
    _step("Let Spark draw the job's progress", why, *report)


def try_next(variables: str) -> None:
    """Print three commands to paste. Each of them starts the server."""
    page().print(Text("\nThree commands to try next, and one to stop the server afterwards:\n", style="bold"))
    for words in (
        ["config", "history", JOB, "--changes", "--key", "task.*"],
        ["checkpoint", "history", JOB, "--task", "Partition 7", "--preferred"],
        ["psql", "--", "-c", NEWEST_COMMITS],
        ["down"],
    ):
        print(f"  {variables} {shlex.quote(sys.executable)} -m coordstream {shlex.join(words)}")


def _step(title: str, why: str, *words: str) -> None:
    console = page()
    console.print()
    console.rule(Text(title, style="bold"), align="left")
    console.print(Text(why))
    console.print(Text(f"$ coordstream {shlex.join(words)}", style="cyan"), soft_wrap=True)
    sys.stdout.flush()
    if coordstream(words) != 0:
        raise DemoError(f"The demo stopped at `coordstream {shlex.join(words)}`. See the message above.")


if __name__ == "__main__":
    sys.exit(main())
