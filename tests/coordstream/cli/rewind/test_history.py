"""Where tasks stood when a deployment began."""

from pathlib import Path

from coordstream.cli.rewind.history import offsets_at_deployment
from eventlog.partition import SystemStreamPartition
from projections.job_choice import Job
from tests.builders import config_set, recorded, set_checkpoint
from tests.coordstream.command_line import CommandLine, recording

MICROSECONDS = 1_795_252_620_000_000
"""A time in microseconds since 1970 that a producer has written as milliseconds: the year 58859."""


def test_a_deployment_after_the_year_9999_has_offsets(cli: CommandLine, tmp_path: Path) -> None:
    said = [set_checkpoint("t", {"kafka.in.0": "7"}), config_set("job.name", "counts")]
    cli.done("import", recording(tmp_path / "r.jsonl", recorded(said, at=MICROSECONDS)))
    assert offsets_at_deployment(Job("counts", "1"), 1) == {("t", SystemStreamPartition("kafka", "in", 0)): 8}
