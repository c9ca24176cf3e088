"""What a coordinator stream holds: the newest value of each key, over the log."""
