import pytest

from projections.job_choice import Job, UnknownJob, choose_job

JOBS = [Job("counts", "1"), Job("orders", "1"), Job("orders", "2"), Job("a/b", "1")]


@pytest.mark.parametrize(
    ("word", "job"),
    [("counts", JOBS[0]), ("counts/1", JOBS[0]), ("orders/2", JOBS[2]), ("a/b", JOBS[3]), ("a/b/1", JOBS[3])],
)
def test_the_id_is_optional_if_one_job_has_the_name(word: str, job: Job) -> None:
    assert choose_job(JOBS, word) == job


@pytest.mark.parametrize(("word", "name"), [("c-d", "c_d"), ("c-d/1", "c_d"), ("e_f", "e_f"), ("e-f", "e-f")])
def test_a_job_may_be_named_as_in_the_names_of_its_topics(word: str, name: str) -> None:
    assert choose_job([Job("c_d", "1"), Job("e_f", "1"), Job("e-f", "1")], word) == Job(name, "1")


@pytest.mark.parametrize(
    ("jobs", "word", "sentence"),
    [
        (JOBS, "nope", r'^No job "nope"\. Known jobs: counts, orders/1, orders/2, a/b\.$'),
        (JOBS, "orders", r'^Ambiguous job "orders"\. Use one of: orders/1, orders/2\.$'),
        (JOBS, "count", r'^No job "count"\. Did you mean "counts"\? Known jobs: counts, '),
        (JOBS, "count/1", r'^No job "count/1"\. Did you mean "counts/1"\? Known jobs: counts/1, '),
        ([], "counts", r"^The database has no logs yet\. Run `coordstream import FILE` or `coordstream follow`\.$"),
        ([Job("j", str(n)) for n in range(12)], "k", r"j/9 and 2 more\."),
    ],
)
def test_unknown_and_ambiguous_names_are_refused(jobs: list[Job], word: str, sentence: str) -> None:
    with pytest.raises(UnknownJob, match=sentence):
        choose_job(jobs, word)
