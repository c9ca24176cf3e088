"""`coordstream bridge`: shows jobs to tools that know Kafka only."""
