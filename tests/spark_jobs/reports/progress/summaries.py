"""A task's summary that tests modify."""

from spark_jobs.reports.progress.rows import TaskProgress

TASK = TaskProgress("counts", "1", "Partition 0", 1_234_567, 89_000_000, 0, 3.2, 1.0, None, None)
