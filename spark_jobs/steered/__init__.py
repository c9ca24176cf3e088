"""Steered jobs on Spark: bounded batches of a job's inputs, each committed with its output in one transaction."""
