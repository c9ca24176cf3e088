"""Follows Kafka with Structured Streaming: the driver holds and attaches the streams, executors apply their events."""
