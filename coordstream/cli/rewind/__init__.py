"""`coordstream rewind`: moves the starting offsets of a job with a plan that says what it costs."""
