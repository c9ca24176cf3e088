"""`coordstream spark verify`: compares the relations' tables with the log, many logs at a time in Spark's executors."""

from coordstream.cli.arguments import Csv, Json
from coordstream.cli.event_logs import open_topics
from coordstream.cli.job.selection import All, Jobs, require_selection, selected_logs
from coordstream.cli.spark.session import Conf, Master, Tasks, require_spark, spark_conf, spark_session
from coordstream.cli.verify import Against, AgainstOption, print_verifications
from coordstream.database import open_database
from projections.fold.settings import FoldSettings


def verify(
    jobs: Jobs = None,
    every: All = False,
    against: AgainstOption = Against.ARCHIVE,
    tasks: Tasks = None,
    master: Master = None,
    conf: Conf = None,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Compare the relations' tables with the archived events, many logs at a time in Spark's executors.

    Does and prints the same as `coordstream verify`, with the same exit codes.
    """
    require_selection(jobs, every=every)
    settings = spark_conf(master, conf)
    require_spark()
    from spark_jobs.log_task import LogTaskSettings  # noqa: PLC0415
    from spark_jobs.replay import verify as verify_logs  # noqa: PLC0415 (`--help` works without Spark)

    with open_database() as database:
        reads_topics = against is Against.KAFKA
        if reads_topics:
            with open_topics():
                pass
        logs = selected_logs(database.connection, jobs or [])
        kafka, fold = database.settings.kafka, FoldSettings(database.secrets)
        given = LogTaskSettings(database.url, fold, kafka)
        with spark_session("coordstream spark verify", settings) as spark:
            found = verify_logs(spark, [each.log for each in logs], given, tasks, reads_topics=reads_topics)
    results = [
        f"Cannot verify {each.log.stream.stream_name}. {result}" if isinstance(result, str) else result
        for each, result in zip(logs, found, strict=True)
    ]
    print_verifications(logs, results, as_json=as_json, as_csv=as_csv)
