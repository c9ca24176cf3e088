"""`coordstream coordinator`."""
