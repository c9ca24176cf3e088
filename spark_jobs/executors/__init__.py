"""Works in the executors of a session, and their progress."""
