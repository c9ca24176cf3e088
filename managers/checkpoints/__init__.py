"""Checkpoints of tasks: their managers, on the checkpoint topic or the coordinator stream, and the checkpoint tool."""
