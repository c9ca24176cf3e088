"""Who changed a config, in words."""

import pytest

from coordstream.queries.config import writer


@pytest.mark.parametrize(
    ("source", "username", "host", "text"),
    [
        ("job-runner", "ann", "host-1", "job-runner (ann@host-1)"),
        ("job-runner", None, None, "job-runner"),
        (None, "ann", "host-1", "ann@host-1"),
        (None, None, None, "–"),
    ],
)
def test_a_writer_is_named_as_far_as_it_is_known(
    source: str | None, username: str | None, host: str | None, text: str
) -> None:
    assert writer({"source": source, "username": username, "host": host}) == text
