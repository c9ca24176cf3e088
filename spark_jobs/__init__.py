"""The data pipeline on Spark: reads, replays, following, the lake and reports."""
