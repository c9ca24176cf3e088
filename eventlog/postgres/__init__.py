"""Event logs in Postgres: connections, the tables of the schema ``eventlog``, the archive, a log and its source."""
