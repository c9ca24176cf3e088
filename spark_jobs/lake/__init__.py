"""A lake of events in Parquet files: archived from Postgres, read, and replayed."""
