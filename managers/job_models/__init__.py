"""How a job's work is shared out, and what its coordinator was started with."""
