"""Spark, and databases whose relations in schema `coordinator` are plain tables that the tests fill."""

import pytest

from tests.fixtures.spark import jdbc_jar, spark, spark_session
from tests.spark_jobs.relations import Relations

__all__ = ["jdbc_jar", "relations", "spark", "spark_session"]


@pytest.fixture
def relations(empty_database_url: str) -> Relations:
    """A database with the relations that the jobs read, all empty."""
    return Relations(empty_database_url)
