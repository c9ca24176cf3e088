"""`coordstream checkpoint`."""
