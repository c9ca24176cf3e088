"""How many containers a job has, and where they ran."""

import pytest

from eventlog.errors import ConfigError
from managers.job_models.container_count import container_count, positive_number, processor_localities


@pytest.mark.parametrize(
    ("config", "count"),
    [
        ({}, 1),
        ({"job.container.count": "3"}, 3),
        ({"yarn.container.count": "4"}, 4),
        ({"job.container.count": "3", "yarn.container.count": "4"}, 3),
        ({"job.container.count": "1", "job.autosizing.container.count": "2"}, 1),
        ({"job.container.count": "1", "job.autosizing.container.count": "2", "job.autosizing.enabled": "true"}, 2),
        ({"job.container.count": "3", "job.autosizing.enabled": "true"}, 3),
    ],
)
def test_what_counts(config: dict[str, str], count: int) -> None:
    assert container_count(config) == count


@pytest.mark.parametrize("text", ["0", "-1", "many", "", "1_0", " 3", "2147483648"])
def test_a_count_is_a_number_from_1_on(text: str) -> None:
    with pytest.raises(ConfigError, match=r"job\.container\.count is no whole number from 1 on"):
        container_count({"job.container.count": text})
    with pytest.raises(ConfigError, match=r"^n is no whole number"):
        positive_number({"n": text}, "n")


@pytest.mark.scenario("HRD-31")
def test_each_container_that_the_job_has_is_located_and_no_other() -> None:
    hosts = processor_localities({"job.container.count": "3"}, {"0": "host-1", "2": "", "3": "host-4"})
    assert hosts == {"0": "host-1", "1": "ANY_HOST", "2": "ANY_HOST"}
