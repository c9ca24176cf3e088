"""The job `startpoint_effects`: how far each startpoint moved each partition, and how long it took to catch up."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from spark_jobs.arguments import report_parser
from spark_jobs.effect_tables import CHECKPOINT_COLUMNS, STARTPOINT_COLUMNS, startpoint_effects
from spark_jobs.progress_table import format_span
from spark_jobs.report import Inputs, Report, Rows, run_report
from spark_jobs.report_picture import draw_bars
from spark_jobs.report_table import Column


def main(argv: Sequence[str] | None = None, environ: Mapping[str, str] = os.environ) -> int:
    """Run the job and return its exit code: 0, or 1 with a message on standard error. argparse exits with 2."""
    return run_report(REPORT, report_parser("startpoint_effects", __doc__ or "").parse_args(argv), environ)


def tables(inputs: Inputs) -> dict[str, DataFrame]:
    """The table `effects`."""
    steps = inputs.read("startpoint_history", *STARTPOINT_COLUMNS)
    checkpoints = inputs.read("checkpoint_history", *CHECKPOINT_COLUMNS)
    return {"effects": startpoint_effects(steps, checkpoints)}


def draw(path: Path, rows: Rows, title: str) -> None:
    """A bar per partition: by how many offsets it moved, red where it has not caught up."""
    bars = [(_partition(row), row["moved"] or 0, row["caught_up_at"] is None) for row in rows]
    draw_bars(path, title, "offsets moved, negative for a rewind (red: not caught up)", bars)


def _partition(row: Mapping[str, Any]) -> str:
    place = f"{row['system_name']}.{row['stream_name']}.{row['partition_id']}"
    return f"{row['job_name']}/{row['job_id']} {row['task_name']} {place}"


def _startpoint(row: Mapping[str, Any]) -> str:
    return f"{row['startpoint_type']} {row['startpoint_value'] or ''}".rstrip()


def _catch_up(row: Mapping[str, Any]) -> str:
    seconds = row["seconds_to_catch_up"]
    return "not yet" if seconds is None else format_span(seconds)


REPORT = Report(
    "startpoint_effects",
    tables,
    "effects",
    lambda effects: effects.orderBy(sf.desc("fanned_out_at"), *effects.columns),
    (
        Column("partition", _partition),
        Column("startpoint", _startpoint),
        Column("fanned out at (UTC)", lambda row: row["fanned_out_at"]),
        Column("offset before", lambda row: row["offset_before"], is_number=True),
        Column("moved", lambda row: row["moved"], is_number=True),
        Column("caught up after", _catch_up, is_number=True),
    ),
    draw,
)

if __name__ == "__main__":
    sys.exit(main())
