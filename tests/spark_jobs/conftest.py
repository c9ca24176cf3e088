"""Spark, and databases whose relations of `coordinator` are made by hand: a few rows that a test can be sure of."""

import pytest

from tests.fixtures.spark import jdbc_jar, spark, spark_session
from tests.spark_jobs.relations import Relations

__all__ = ["jdbc_jar", "relations", "spark", "spark_session"]


@pytest.fixture
def relations(empty_database_url: str) -> Relations:
    """A database that holds the relations that the jobs read, without a row."""
    return Relations(empty_database_url)
