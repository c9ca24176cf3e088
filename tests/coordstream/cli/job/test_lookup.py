import pytest

from coordstream.cli.job.lookup import Job, choose_job
from coordstream.errors import CoordstreamError

JOBS = [Job("counts", "1"), Job("orders", "1"), Job("orders", "2"), Job("a/b", "1")]


@pytest.mark.parametrize(
    ("word", "job"),
    [("counts", JOBS[0]), ("counts/1", JOBS[0]), ("orders/2", JOBS[2]), ("a/b", JOBS[3]), ("a/b/1", JOBS[3])],
)
def test_the_id_may_be_left_out_where_one_job_has_the_name(word: str, job: Job) -> None:
    assert choose_job(JOBS, word) == job


@pytest.mark.parametrize(
    ("jobs", "word", "sentence"),
    [
        (JOBS, "nope", r"there is no job 'nope' in the database: it has counts/1, orders/1, orders/2, a/b/1\."),
        (JOBS, "orders", r"'orders' names several jobs: write one of orders/1, orders/2\."),
        ([], "counts", r"the database holds no log yet: run `coordstream import FILE`"),
        ([Job("j", str(n)) for n in range(12)], "k", r"j/9 and 2 more\."),
    ],
)
def test_another_word_is_refused(jobs: list[Job], word: str, sentence: str) -> None:
    with pytest.raises(CoordstreamError, match=sentence):
        choose_job(jobs, word)
