"""Queries on the relations."""
