"""`coordstream log`: the logs, and the events on them."""
