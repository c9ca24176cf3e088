"""`coordstream bridge`: shows the progress of jobs to tools for Kafka consumer groups."""
