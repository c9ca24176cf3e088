"""The event log: events, their bytes, and the logs and files that store them in order."""
