"""Job models: how partitions are assigned to tasks and containers, and the metadata of a job coordinator."""
