"""Event logs on Kafka: the only place that speaks to brokers."""
