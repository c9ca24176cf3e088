"""The report `startpoint_effects`: how far each startpoint moved each partition, and how long it took to catch up."""

from pathlib import Path
from typing import Any, Final

from pyspark.sql import DataFrame

from spark_jobs.reports.checkpoint_progress import INPUT, TASK, read_checkpoints
from spark_jobs.reports.picture import Bar, draw_bars
from spark_jobs.reports.report import Inputs, Report, Result, Row, Tables, format_span, job_of

_PLACE: Final = ", ".join(f"{TASK} {INPUT}".split())
_EFFECTS: Final = f"""
WITH fanned_out AS (
  SELECT {_PLACE}, startpoint_type, startpoint_value, record_time AS fanned_out_at,
    lead(record_time) OVER (PARTITION BY {_PLACE} ORDER BY record_time) AS until
  FROM {{steps}} WHERE status = 'fanned_out' AND record_time IS NOT NULL
), commit AS (
  SELECT {_PLACE}, input_offset_number AS offset, record_time AS committed_at, struct(incarnation, log_offset) AS place
  FROM {{checkpoints}} WHERE input_offset_number IS NOT NULL AND record_time IS NOT NULL
), compared AS (
  SELECT *, committed_at > fanned_out_at AND (until IS NULL OR committed_at <= until) AS is_after,
    max_by(offset, if(committed_at <= fanned_out_at, place, NULL)) OVER (PARTITION BY {_PLACE}, fanned_out_at)
      AS offset_before
  FROM fanned_out LEFT JOIN commit USING ({_PLACE})
), effect AS (
  SELECT {_PLACE}, startpoint_type, startpoint_value, fanned_out_at, offset_before,
    min(offset) FILTER (WHERE is_after) AS lowest_after,
    min(committed_at) FILTER (WHERE is_after AND offset >= offset_before) AS caught_up_at
  FROM compared GROUP BY ALL
)
SELECT {_PLACE}, startpoint_type, startpoint_value, fanned_out_at, offset_before,
  try_subtract(coalesce(try_subtract(if(startpoint_type = 'specific', try_cast(startpoint_value AS bigint), NULL), 1L),
                        lowest_after), offset_before) AS moved,
  caught_up_at, (unix_micros(caught_up_at) - unix_micros(fanned_out_at)) / 1e6 AS seconds_to_catch_up
FROM effect ORDER BY fanned_out_at DESC, {_PLACE}
"""  # noqa: S608 (only names of columns)


def tables(inputs: Inputs) -> Tables:
    """The table `effects`."""
    columns = f"{TASK} {INPUT} startpoint_type startpoint_value status record_time"
    return Tables({"effects": effects(inputs.read("startpoint_history", columns), read_checkpoints(inputs))})


def effects(steps: DataFrame, checkpoints: DataFrame) -> DataFrame:
    """A row for each startpoint that was fanned out to a task's partition, from both histories.

    `offset_before` is the last offset that was committed before. `moved` is the distance from there to the requested
    offset, or, if the startpoint has none, to the lowest offset that was committed afterwards. The task has caught up
    with the first later commit of `offset_before` or a higher offset. The job's two logs are compared by record time,
    until the next startpoint of the partition.
    """
    return steps.sparkSession.sql(_EFFECTS, steps=steps, checkpoints=checkpoints)


def draw(path: Path, result: Result) -> None:
    """A bar per partition: by how many offsets it moved, red where it has not caught up."""
    bars = [Bar(_partition(row), row["moved"] or 0, *_effect(row)) for row in result.rows]
    draw_bars(path, result.drawn_title, "offsets moved, negative for a rewind (red: not caught up)", bars)


def _effect(row: Row) -> tuple[str, bool]:
    """What a startpoint did, and whether the task has yet to catch up; without an offset before, there is no need."""
    moved = "no commits to compare" if row["moved"] is None else f"{row['moved']:+,}"
    if (seconds := row["seconds_to_catch_up"]) is None:
        return moved, row["offset_before"] is not None
    return f"{moved}, caught up after {format_span(seconds)}", False


def _partition(row: Row) -> str:
    place = f"{row['system_name']}.{row['stream_name']}.{row['partition_id']}"
    return f"{job_of(row)} {row['task_name']} {place}"


def cells(row: Row) -> dict[str, Any]:
    return {
        "partition": _partition(row),
        "startpoint": f"{row['startpoint_type']} {row['startpoint_value'] or ''}".rstrip(),
        "fanned out at (UTC)": row["fanned_out_at"],
        "offset before": row["offset_before"],
        "moved": row["moved"],
        "caught up after": format_span(row["seconds_to_catch_up"]) or ("not yet" if _effect(row)[1] else ""),
    }


REPORT: Final = Report("startpoint_effects", tables, cells, draw)
