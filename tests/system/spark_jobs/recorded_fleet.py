"""Recordings of many generated jobs, a file for each log."""

from pathlib import Path
from typing import Final

from benchmarks.relation_data import JobLogs, JobSize
from eventlog.recording import write_recording

FINGERPRINTS: Final = """
with job as materialized (select distinct job_name, job_id from projection.job_log where is_current)
select job.job_name, job.job_id, f.* from job
cross join lateral coordinator.fingerprint(job.job_name, job.job_id) f order by 1, 2, 3
"""


def write_fleet(folder: Path, jobs: int, events: int) -> int:
    """Write the two logs of each job, with about ``events`` events together; return the number of all events."""
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for number in range(jobs):
        logs = JobLogs(JobSize(f"job-{number:04}", events, 8, max(events // 10, 5)))
        for name, records in (
            (logs.coordinator, logs.coordinator_events()),
            (logs.checkpoints, logs.checkpoint_events()),
        ):
            count += write_recording(folder / f"{name}.jsonl", ((name, event) for event in records))
    return count
