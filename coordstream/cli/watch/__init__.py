"""`coordstream watch`: what happens to a job, as sentences."""
