from tests.builders import checkpoint_v1, container_host, task_partition
from tests.fixtures.acceptance.imported_job import ImportedJob
from tests.fixtures.coordstream.command_line import CommandLine


def test_jobs_are_selected_by_what_they_read_and_where_they_run(cli: CommandLine) -> None:
    """A task that only an old checkpoint names no longer exists."""
    with cli.connection() as connection:
        connection.autocommit = True
        for number, name in enumerate(("orders", "views", "clicks")):
            read = task_partition(f"kafka.{name}.0")
            commits = [checkpoint_v1(task, {f"kafka.{name}.0": "7"}) for task in ("Partition 0", "Partition 1")]
            ImportedJob(
                connection, name, coordinator=[read, container_host("0", f"host-{number % 2}")], checkpoints=commits
            )

    def listed(*words: str) -> list[str]:
        return [row["job_name"] for row in cli.rows("job", "list", *words)]

    assert listed("--sort", "name") == ["clicks", "orders", "views"]
    assert listed("--reads", "kafka.views") == listed("--reads", "views") == ["views"]
    assert listed("--host", "host-0", "--limit", "1") == ["clicks"]
    assert listed("--host", "host-0", "--reads", "views") == []
    assert [row["task_count"] for row in cli.rows("job", "list")] == [1, 1, 1]
