"""What was said, in order: events, their bytes, and the logs and files that hold them."""
