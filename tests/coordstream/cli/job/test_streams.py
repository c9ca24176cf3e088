import pytest

from coordstream.cli.job.streams import chosen_stream
from coordstream.errors import CoordstreamError

STREAMS = ["__samza_coordinator_a-b_1", "__samza_coordinator_c_2", "__samza_coordinator_d_1", "__samza_coordinator_d_2"]


@pytest.mark.parametrize(
    ("word", "stream"),
    [
        ("a_b", "__samza_coordinator_a-b_1"),
        ("a-b/1", "__samza_coordinator_a-b_1"),
        ("c", "__samza_coordinator_c_2"),
        ("d/2", "__samza_coordinator_d_2"),
        ("new", "__samza_coordinator_new_1"),
        ("new/1_2", "__samza_coordinator_new_1-2"),
    ],
)
def test_a_word_names_the_stream_of_a_job(word: str, stream: str) -> None:
    assert chosen_stream([*STREAMS, "__samza_checkpoint_ver_1_for_c_1"], word) == stream


def test_a_name_that_several_jobs_have_is_refused() -> None:
    with pytest.raises(CoordstreamError, match="'d' names several jobs: write one of d/1, d/2"):
        chosen_stream(STREAMS, "d")
