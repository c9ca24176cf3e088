"""`coordstream spark archive`: adds new events to a lake of Parquet files."""

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from coordstream.cli.arguments import Json
from coordstream.cli.output import print_json
from coordstream.cli.spark.session import Conf, Master, require_spark, spark_conf, spark_session
from coordstream.database import Database, open_database

if TYPE_CHECKING:
    from spark_jobs.lake.archive import Archived

Output = Annotated[
    str,
    typer.Option(
        "--output", metavar="PATH", help="The lake's folder: a path, or a URI of a file system of Spark (hdfs:, s3a:)."
    ),
]
Relations = Annotated[bool, typer.Option("--relations", help="Write every relation as of the same moment, too.")]


def archive(
    output: Output, relations: Relations = False, master: Master = None, conf: Conf = None, as_json: Json = False
) -> None:
    """Add the events that a lake lacks, as Parquet files by stream and day.

    The first run writes every event of the archive, later ones what is new. A manifest per run names the files with
    their hashes and offsets; it is written last, so that an interrupted run adds nothing. The lake has the original
    bytes, secrets included: docs/safety.md says who may read it. Exit code 1 if a retention has detached events of a
    log before the lake had them; the other logs are archived.
    """
    settings = spark_conf(master, conf)
    require_spark()
    from spark_jobs.lake.archive import archive as archive_events  # noqa: PLC0415 (loads PySpark)
    from spark_jobs.output_folder import checked_path  # noqa: PLC0415

    checked_path(output)  # an invalid output fails before Spark starts
    with open_database() as database:
        jar = _driver(database) if relations else {}
        with spark_session("coordstream spark archive", {**jar, **settings}) as spark:
            done = archive_events(spark, database.url, output, relations=relations)
    _report(output, done, as_json=as_json)
    for name, reason in done.failures.items():
        print(f"Cannot archive {name}. {reason}", file=sys.stderr)
    if done.failures:
        raise typer.Exit(1)


def _driver(database: Database) -> dict[str, str]:
    from spark_jobs.jars import postgres_driver  # noqa: PLC0415
    from spark_jobs.session import jar_conf  # noqa: PLC0415

    return jar_conf(postgres_driver(database.settings.jar_cache, os.environ))


def _report(output: str, done: "Archived", *, as_json: bool) -> None:
    rows = sum(relation.rows for relation in done.relations)
    if as_json:
        figures = {"events": done.events, "files": len(done.files), "relations": len(done.relations), "rows": rows}
        failures = [{"stream_name": name, "reason": reason} for name, reason in done.failures.items()]
        print_json([{"output": output, "run": done.number or None, "logs": done.logs, **figures, "failures": failures}])
    elif not done.number:
        print(f"Nothing is new in {done.logs} logs.")
    else:
        relations = f", and {rows:,} rows of {len(done.relations)} relations" if done.relations else ""
        print(f"Run {done.number}: {done.events:,} events of {done.logs} logs in {len(done.files)} files{relations}.")
