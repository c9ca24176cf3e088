"""`coordstream bisect`: the event that made a condition true."""
