"""What the command line, the pages and `/metrics` ask the database alike."""
