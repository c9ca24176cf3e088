"""The progress of tasks, computed from their commits and checkpoints."""
