"""A lake, which is a Delta table of events: written from the archive, read, compared, and replayed."""
