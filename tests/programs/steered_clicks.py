"""A steered job on Spark, to be killed: writes partition and offset of each record into the sink.

Arguments: topic, job, sink (`postgres` or `delta`), the sink's URL or path, and how many records a batch has. The
settings of coordstream come from the environment.
"""

import sys

from pyspark.sql import DataFrame

from coordstream.spark import DeltaSink, PostgresSink, SteeredStream, build_session


def process(records: DataFrame, _: object) -> DataFrame:
    """The columns of the sink."""
    return records.select("partition", "offset")


def main(topic: str, job: str, kind: str, place: str, max_records: str) -> None:
    """Run until it is killed, or stopped by another copy."""
    sink = PostgresSink("effects", url=place) if kind == "postgres" else DeltaSink(place)
    spark = build_session(job, {"spark.master": "local[2]", "spark.sql.shuffle.partitions": "2"})
    stream = SteeredStream(
        job=job,
        inputs=[f"kafka.{topic}"],
        sink=sink,
        process=process,
        config={"systems.kafka.samza.offset.default": "oldest"},
        max_records=int(max_records),
    )
    stream.run(spark, interval=0.1)


if __name__ == "__main__":
    main(*sys.argv[1:])
