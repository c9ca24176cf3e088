"""What commands do with a lake, in this process or in the executors of a Spark session."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from coordstream.cli.job_selection import LOG_NAMES, JobLog
from coordstream.cli.output import Column, fail_if, print_json, print_rows
from coordstream.database import Database
from coordstream.errors import require_packages
from coordstream.queries.rows import rows_of
from projections.fold.settings import FoldSettings
from projections.log_result import LogResult
from projections.planner_statistics import finish_imports

if TYPE_CHECKING:
    from spark_jobs.lake.archive import RunTasks

_COLUMNS: Final = (
    Column("stream", "stream_name", no_wrap=True),
    Column("inc.", "incarnation", "right", drop=1),
    Column("events in the lake", "lake_events", "right"),
    Column("of the archive", "event_count", "right"),
)
_ROW: Final = (*LOG_NAMES, "next_offset", "event_count", "lake_events")


def archive_in(output: str, database: Database, spark: Any = None, *, as_json: bool = False) -> None:
    """Add the events that a lake lacks, and print what was done; exit code 1 if a log cannot be continued."""
    run = runner(database, spark)
    from spark_jobs.lake.archive import archive  # noqa: PLC0415 (loads deltalake)

    done = archive(output, database.url, run)
    if as_json:
        failures = [{"stream_name": name, "reason": reason} for name, reason in done.failures.items()]
        figures = {"run": done.run or None, "logs": done.logs, "events": done.events, "files": done.files}
        print_json([{"output": output, **figures, "failures": failures}])
    elif not done.run:
        print(f"Nothing is new in {done.logs} logs.")
    else:
        print(f"Run {done.run}: {done.events:,} events of {done.logs} logs in {done.files} files.")
    fail_if([f"Cannot archive {name}. {reason}" for name, reason in done.failures.items()])


def verify_lake(output: str, logs: Sequence[JobLog], run: "RunTasks", *, as_json: bool) -> None:
    """Compare the archive with a lake, and print what was found; exit code 1 if a log is not the same."""
    from spark_jobs.lake.comparison import compare_logs  # noqa: PLC0415 (loads deltalake)

    found = compare_logs(output, [each.log for each in logs], run)
    results = [(each, found[each.log.log_id]) for each in logs]
    rows = ((*each.names, *result) for each, result in results if not isinstance(result, str))
    print_rows(rows_of(_ROW, rows), _COLUMNS, title="Events that the lake has", as_json=as_json)
    fail_if([result for _, result in results if isinstance(result, str)])


def rebuild_from(output: str, logs: Sequence[JobLog], database: Database) -> list[LogResult | str]:
    """Add what the archive lacks of a lake's events, and rebuild the logs; a sentence for a log that cannot be."""
    run = runner(database)
    from spark_jobs.lake.comparison import compare_logs, complete_log  # noqa: PLC0415 (loads deltalake)

    found = compare_logs(output, [each.log for each in logs], run, complete_log)
    results = [(each.log.stream.stream_name, found[each.log.log_id]) for each in logs]
    return [f"Cannot rebuild {name}. {result}" if isinstance(result, str) else result for name, result in results]


def restore(place: str, database: Database) -> tuple[list[LogResult], list[str]]:
    """Add what the database lacks of a lake's logs; and a sentence for each log that cannot be restored."""
    run = runner(database)
    from spark_jobs.lake.replay import lake_streams  # noqa: PLC0415 (loads deltalake)

    streams = lake_streams(place)
    found = [(each.stream.stream_name, outcome) for each, outcome in zip(streams, run(streams), strict=True)]
    results = [outcome.result for _, outcome in found if not outcome.failure]
    finish_imports(database.connection, sum(result.added for result in results))
    return results, [f"Cannot import {name}. {outcome.failure}" for name, outcome in found if outcome.failure]


def runner(database: Database, spark: Any = None, tasks: int | None = None) -> "RunTasks":
    """Runs log tasks here, or in at most ``tasks`` Spark tasks. Raises CoordstreamError: a package is missing."""
    require_packages("deltalake", "pyarrow")
    from spark_jobs.log_task import LogTaskSettings, run_here  # noqa: PLC0415 (few commands need it)

    settings = LogTaskSettings(database.url, FoldSettings(database.secrets))
    if spark is None:
        return partial(run_here, settings=settings)
    from spark_jobs.dispatch import run_log_tasks  # noqa: PLC0415 (loads Spark)

    return lambda log_tasks: run_log_tasks(spark, "Cannot use the lake with Spark", log_tasks, settings, tasks)
