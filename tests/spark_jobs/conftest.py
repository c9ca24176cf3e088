"""Databases whose relations in schema `coordinator` are plain tables that the tests fill."""

import pytest

from tests.spark_jobs.relations import Relations


@pytest.fixture
def relations(empty_database_url: str) -> Relations:
    """A database with the relations that the jobs read, all empty."""
    return Relations(empty_database_url)
