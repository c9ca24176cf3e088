"""Output folders, on this machine or in a file system that Spark knows."""
