"""The scope of the job, and the partitions of its reads."""

from datetime import timedelta

import pytest

from projections.job_choice import Job
from spark_jobs.errors import SparkJobError
from spark_jobs.relations.jdbc import Ranges
from spark_jobs.relations.snapshots import exported_snapshot
from spark_jobs.reports.progress.scope import Scope, choose_ranges, find_scope, require_commits
from spark_jobs.reports.progress.transforms import EPOCH
from tests.spark_jobs.plain_relations import START, Relations, at

EXTENT = {"lowest_offset": 5, "highest_offset": 90, "lowest_bucket": 3, "highest_bucket": 60}


def scope_of(relations: Relations, job: Job | None = None) -> Scope:
    """The scope of commits, of which there must be one."""
    with exported_snapshot(relations.url) as snapshot:
        scope = find_scope(snapshot, job, partitions=2, now=None, bucket_seconds=None)
        require_commits(scope)
        return scope


@pytest.mark.parametrize(
    ("buckets", "partitions", "ranges"),
    [
        (1, 4, Ranges("log_offset", 5, 90, 4)),
        (7, 4, Ranges("log_offset", 5, 90, 4)),
        (8, 4, Ranges("job_bucket", 3, 60, 4)),
        (64, 1, Ranges("log_offset", 5, 90, 1)),
    ],
)
def test_many_jobs_are_partitioned_by_bucket_and_one_job_by_offset(
    buckets: int, partitions: int, ranges: Ranges
) -> None:
    assert choose_ranges({**EXTENT, "job_buckets": buckets}, partitions) == ranges


def test_ages_count_to_the_newest_record_of_all_logs(relations: Relations) -> None:
    relations.commit("a", 1, {0: 1})
    relations.commit("a", 50, {0: 1})
    relations.add_log("counts/1", 2, at(51))
    relations.add_log("other/1", 9, at(99))
    scope = scope_of(relations, Job("counts", "1"))
    assert scope.as_of == at(99)
    assert scope.bucket_seconds == 1
    assert scope.positions == {("__samza_checkpoint_ver_1_for_counts_1", 1): 2}
    assert len(scope_of(relations).positions) == 2


CENTURY = 36_525 * 86_400


def test_implausible_times_affect_neither_buckets_nor_ages(relations: Relations) -> None:
    relations.commit("a", -CENTURY, {0: 0})  # the first record, before Kafka's first release
    for second in range(10):
        relations.commit("a", second, {0: second})
    relations.commit("a", CENTURY, {0: 10}, plausible=False)
    relations.commit("a", 11, {0: 11})
    scope = scope_of(relations)
    assert (scope.bucket_seconds, scope.as_of, scope.untimed_commits) == (1, at(11), 2)


def test_a_log_with_only_times_of_1970_is_accepted(relations: Relations) -> None:
    began = -(START - EPOCH).total_seconds()
    for second in range(3):
        relations.commit("a", began + second, {0: second})
    scope = scope_of(relations)
    assert (scope.bucket_seconds, scope.as_of, scope.untimed_commits) == (1, at(began + 2), 0)


def test_now_takes_precedence_over_the_logs(relations: Relations) -> None:
    relations.commit("a", 1, {0: 1})
    moment = at(0) + timedelta(days=9)
    with exported_snapshot(relations.url) as snapshot:
        assert find_scope(snapshot, None, partitions=1, now=moment, bucket_seconds=7).as_of == moment


def test_commits_that_are_not_preferred_do_not_count(relations: Relations) -> None:
    relations.commit("a", 1, {0: 1}, preferred=False)
    with pytest.raises(SparkJobError, match="no commit of any job"):
        scope_of(relations)


def test_a_job_without_commits_is_reported(relations: Relations) -> None:
    relations.commit("a", 1, {0: 1})
    with pytest.raises(SparkJobError, match="no commit of job 'it's/1'"):
        scope_of(relations, Job("it's", "1"))
