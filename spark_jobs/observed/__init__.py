"""Structured Streaming jobs that write what they read on the logs of a job."""
