"""`coordstream startpoint`."""
