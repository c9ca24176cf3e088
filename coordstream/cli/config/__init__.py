"""`coordstream config`."""
