"""The fixtures, a file a subject; see tests/fixtures."""

pytest_plugins = ["tests.fixtures.postgres", "tests.fixtures.report_header"]
