"""Jobs that Python programs run: what is on their logs, and steered jobs, whose sinks say what has been written."""
