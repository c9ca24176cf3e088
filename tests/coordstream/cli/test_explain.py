import pytest

from tests.coordstream.command_line import CommandLine

pytestmark = pytest.mark.slow

BEFORE_RUN_2 = "2026-11-21T09:17:00Z"
AT_THE_END = "2026-11-21T09:18:30Z"
TASKS = ", ".join(f"Partition {n}" for n in range(8))


def on_one_line(printed: str) -> str:
    """The text without its line breaks."""
    return " ".join(printed.split())


def test_each_partition_is_told_in_a_sentence(wordcount: CommandLine) -> None:
    printed = on_one_line(wordcount.done("explain", "wordcount_pv", "Partition 1", "--as-of", AT_THE_END))
    assert printed.startswith(
        "Where Partition 1 of wordcount_pv/1 starts as of 2026-11-21 09:18:30 UTC, and why"
        " kafka.page-views.1 starts after offset 29. The checkpoint decides: the last of version 2"
        " (checkpoint topic 385, 2026-11-21 09:18:13 UTC, host and user not recorded)."
        " kafka.page-views.9 starts at offset 2. The startpoint decides: asked for every task at 2026-11-21 09:18:19"
        " UTC, and handed out by the next start"
        " (coordinator stream 425, 2026-11-21 09:18:19 UTC, host and user not recorded)."
        " kafka.rules.0 is not read: neither task.inputs nor task.broadcast.inputs names kafka.rules"
        " (coordinator stream 368, 2026-11-21 09:18:02 UTC, root on 192.0.2.2, job-runner)."
    )


def test_then_comes_a_table_of_all_that_was_tried(wordcount: CommandLine) -> None:
    printed = wordcount.done("explain", "wordcount_pv/1", "Partition 1", "--at", BEFORE_RUN_2)
    assert on_one_line(printed).startswith(
        "Where Partition 1 of wordcount_pv/1 starts as of 2026-11-21 09:17:00 UTC, and why kafka.page-views.1 starts"
    )
    lines = printed.splitlines()
    table = lines[lines.index("kafka.page-views.1") :]
    rules = [line.split()[1] for line in table[1 : table.index("")] if line[0].isdigit()]
    assert rules == ["startpoint:", "reset", "checkpoint:", "checkpoint:", "default:"]
    assert "version not read:" in printed


@pytest.mark.usefixtures("narrow")
def test_it_fits_a_terminal(wordcount: CommandLine) -> None:
    printed = wordcount.done("explain", "wordcount_pv/1", "Partition 1", "--as-of", BEFORE_RUN_2)
    assert max(map(len, printed.splitlines())) <= 80
    assert "checkpoint: after 19" in printed


def test_without_a_time_it_is_explained_as_of_now(wordcount: CommandLine) -> None:
    rows = wordcount.rows("explain", "wordcount_pv", "Partition 7")
    ends = [(row["stream_name"], row["partition_id"], row["rule"]) for row in rows if row["outcome"] == "wins"]
    assert ends == [("page-views", 7, "checkpoint"), ("page-views", 15, "checkpoint")]
    assert "Where Partition 7 of wordcount_pv/1 starts, and why" in wordcount.done(
        "explain", "wordcount_pv", "Partition 7"
    )


def test_a_sentence_goes_to_a_pipe_on_one_line(wordcount: CommandLine) -> None:
    lines = wordcount.done("explain", "wordcount_pv", "Partition 1", "--as-of", AT_THE_END).splitlines()
    (told,) = [line for line in lines if line.startswith("kafka.page-views.1 starts")]
    assert told.endswith("(checkpoint topic 385, 2026-11-21 09:18:13 UTC, host and user not recorded).")


def test_at_is_another_name_of_as_of(wordcount: CommandLine) -> None:
    words = ("explain", "wordcount_pv", "Partition 1")
    assert wordcount.rows(*words, "--at", BEFORE_RUN_2) == wordcount.rows(*words, "--as-of", BEFORE_RUN_2)


def test_json_has_the_rows_of_the_function(wordcount: CommandLine) -> None:
    rows = wordcount.rows("explain", "wordcount_pv", "Partition 1", "--at", BEFORE_RUN_2)
    query = f"coordinator.explain('wordcount_pv', '1', 'Partition 1', '{BEFORE_RUN_2}')"
    shown = wordcount.ask(f"select stream_name, partition_id, step, rule, outcome, reason, log_offset from {query}")
    names = ("stream_name", "partition_id", "step", "rule", "outcome", "reason", "log_offset")
    assert [tuple(row[name] for name in names) for row in rows] == shown
    assert [row["log_offset"] for row in rows if row["outcome"] == "wins"] == [98, 107]
    assert rows[0]["record_time"] == "2026-11-21T09:16:59.891Z"


def test_a_task_that_is_not_there_is_refused(wordcount: CommandLine) -> None:
    sentence = wordcount.refused("explain", "wordcount_pv", "Partition 9")
    assert sentence.startswith(f"job wordcount_pv/1 assigns no partition to a task 'Partition 9': it has {TASKS}. Did ")
    sentence = wordcount.refused("explain", "wordcount_pv", "Partition 1", "--at", "2026-11-21T09:16:30Z")
    assert sentence == (
        "job wordcount_pv/1 has neither assignments nor checkpoints as of 2026-11-21 09:16:30 UTC,"
        " so it is not known which partitions its tasks read: nothing can be explained."
    )
    assert "there is no job 'nope'" in wordcount.refused("explain", "nope", "Partition 1")


def test_wrong_use(wordcount: CommandLine) -> None:
    assert "Missing argument 'TASK'" in wordcount.refused("explain", "wordcount_pv", code=2)
    assert "Invalid time 'noon'" in wordcount.refused("explain", "wordcount_pv", "t", "--at", "noon", code=2)
