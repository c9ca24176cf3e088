"""The report `startpoint_effects`: how far each startpoint moved each partition, and how long it took to catch up."""

from collections.abc import Mapping
from typing import Any, Final

from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf

from spark_jobs.reports.picture import Bar, draw_bars
from spark_jobs.reports.progress import INPUT, TASK
from spark_jobs.reports.report import Column, Drawing, Inputs, Report, Tables, columns, format_span, job_of

PLACE: Final = (*TASK, *INPUT)
KEY: Final = (*PLACE, "fanned_out_at")
STARTPOINT_COLUMNS: Final = (*PLACE, "startpoint_type", "startpoint_value", "status", "record_time")
CHECKPOINT_COLUMNS: Final = (*PLACE, "input_offset_number", "is_preferred", "record_time", "incarnation", "log_offset")


def tables(inputs: Inputs) -> Tables:
    steps = inputs.with_usable_times(inputs.read("startpoint_history", *STARTPOINT_COLUMNS))
    checkpoints = inputs.with_usable_times(inputs.read("checkpoint_history", *CHECKPOINT_COLUMNS))
    return Tables({"effects": startpoint_effects(steps, checkpoints)})


def draw(drawing: Drawing) -> None:
    """A bar per partition: by how many offsets it moved, red where it has not caught up."""
    bars = [Bar(_partition(row), row["moved"] or 0, _effect(row), row["caught_up_at"] is None) for row in drawing.rows]
    title = drawing.title + drawing.subtitle
    draw_bars(drawing.path, title, "offsets moved, negative for a rewind (red: not caught up)", bars)


def _effect(row: Mapping[str, Any]) -> str:
    moved = "no commits to compare" if row["moved"] is None else f"{row['moved']:+,}"
    seconds = row["seconds_to_catch_up"]
    return moved if seconds is None else f"{moved}, caught up after {format_span(seconds)}"


def _partition(row: Mapping[str, Any]) -> str:
    place = f"{row['system_name']}.{row['stream_name']}.{row['partition_id']}"
    return f"{job_of(row)} {row['task_name']} {place}"


def _startpoint(row: Mapping[str, Any]) -> str:
    return f"{row['startpoint_type']} {row['startpoint_value'] or ''}".rstrip()


def _catch_up(row: Mapping[str, Any]) -> str:
    seconds = row["seconds_to_catch_up"]
    return "not yet" if seconds is None else format_span(seconds)


def startpoint_effects(steps: DataFrame, checkpoints: DataFrame) -> DataFrame:
    """A row for each startpoint that was fanned out to a task's partition, from both histories.

    `offset_before` is the last offset that was committed before. `moved` is the distance from there to the requested
    offset, or, if the startpoint has none, to the lowest offset that was committed afterwards. The task has caught up
    with the first later commit of `offset_before` or a higher offset. The job's two logs are compared by record time,
    until the next startpoint of the partition.
    """
    fanned_out = _fanned_out(steps)
    commits = _commits_beside(fanned_out, checkpoints)
    before = _offsets_before(commits)
    after = _commits_after(commits, before)
    joined = fanned_out.join(before, on=list(KEY), how="left").join(after, on=list(KEY), how="left")
    return joined.select(
        *PLACE,
        "startpoint_type",
        "startpoint_value",
        "fanned_out_at",
        "offset_before",
        _moved().alias("moved"),
        "caught_up_at",
        ((sf.unix_micros("caught_up_at") - sf.unix_micros("fanned_out_at")) / 1e6).alias("seconds_to_catch_up"),
    )


def _fanned_out(steps: DataFrame) -> DataFrame:
    """The startpoints that were fanned out, each with the time `until` the next one of its partition (null: none)."""
    next_one = sf.lead("record_time").over(Window.partitionBy(*PLACE).orderBy("record_time"))
    return (
        steps.where("status = 'fanned_out' and record_time is not null")
        .withColumn("until", next_one)
        .withColumnRenamed("record_time", "fanned_out_at")
        .drop("status")
    )


def _commits_beside(fanned_out: DataFrame, checkpoints: DataFrame) -> DataFrame:
    commits = checkpoints.where("is_preferred and input_offset_number is not null and record_time is not null").select(
        *PLACE,
        sf.col("input_offset_number").alias("offset"),
        sf.col("record_time").alias("committed_at"),
        sf.struct("incarnation", "log_offset").alias("position"),
    )
    return commits.join(sf.broadcast(fanned_out.select(*KEY, "until")), on=list(PLACE), how="inner")


def _offsets_before(commits: DataFrame) -> DataFrame:
    earlier = commits.where("committed_at <= fanned_out_at")
    return earlier.groupBy(*KEY).agg(sf.max_by("offset", "position").alias("offset_before"))


def _commits_after(commits: DataFrame, before: DataFrame) -> DataFrame:
    later = commits.where("committed_at > fanned_out_at and (until is null or committed_at <= until)")
    reached = sf.when(sf.col("offset") >= sf.col("offset_before"), sf.col("committed_at"))
    return (
        later.join(before, on=list(KEY), how="left")
        .groupBy(*KEY)
        .agg(sf.min("offset").alias("lowest_after"), sf.min(reached).alias("caught_up_at"))
    )


def _moved() -> SparkColumn:
    """From the next offset before to the next offset afterwards; ANSI mode needs the try_ forms for odd values."""
    requested = sf.when(sf.col("startpoint_type") == "specific", sf.col("startpoint_value").try_cast("bigint"))
    reached = sf.coalesce(sf.try_subtract(requested, sf.lit(1)), sf.col("lowest_after"))
    return sf.try_subtract(reached, sf.col("offset_before"))


def report() -> Report:
    return Report(
        "startpoint_effects",
        tables,
        "effects",
        lambda effects: effects.orderBy(sf.desc("fanned_out_at"), *effects.columns),
        (
            Column("partition", _partition),
            Column("startpoint", _startpoint),
            Column("fanned out at (UTC)", "fanned_out_at"),
            *columns("offset_before", "moved", is_number=True),
            Column("caught up after", _catch_up, is_number=True),
        ),
        draw,
    )
