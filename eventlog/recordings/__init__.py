"""Recordings: the records of topics in files."""
