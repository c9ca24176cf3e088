"""Limits of commits, from a job's config (TaskConfig of Samza 1.8.0)."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from eventlog.config_values import boolean, integer

MAX_DELAY: Final = "task.commit.max.delay.ms"
TIMEOUT: Final = "task.commit.timeout.ms"
SKIP_FAILURES: Final = "task.commit.skip.commit.during.failures.enabled"
EXCEPTION_LIMIT: Final = "task.commit.skip.commit.exception.max.limit"
TIMEOUT_LIMIT: Final = "task.commit.skip.commit.timeout.max.limit"


class CommitSettings(NamedTuple):
    """How long a commit may take, and how many failures in a row are skipped."""

    max_delay_ms: int = 60_000
    """A commit is skipped while an earlier one is in progress for less than this."""
    timeout_ms: int = 1_800_000
    """How long a commit waits for an earlier one after that."""
    skips_failures: bool = False
    exception_limit: int = 5
    timeout_limit: int = 2

    @classmethod
    def of(cls, config: Mapping[str, str]) -> "CommitSettings":
        """The settings in config. Raises `ConfigError` if a number is not an integer from 0."""
        default = cls()
        return cls(
            integer(config, MAX_DELAY, default.max_delay_ms, minimum=0),
            integer(config, TIMEOUT, default.timeout_ms, minimum=0),
            boolean(config, SKIP_FAILURES, default.skips_failures),
            integer(config, EXCEPTION_LIMIT, default.exception_limit, minimum=0),
            integer(config, TIMEOUT_LIMIT, default.timeout_limit, minimum=0),
        )
