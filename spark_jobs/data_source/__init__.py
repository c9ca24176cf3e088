"""The Spark data source `coordinator_stream`: events of the archive, of Kafka and of recordings as rows."""
