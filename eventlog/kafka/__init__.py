"""Event logs in Kafka; only this package uses kafka-python."""
