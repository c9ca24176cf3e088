"""The pages of jobs with lag, with many tasks, with anomalies, and with much in quarantine."""

from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

from eventlog.postgres.connection import connect
from eventlog.streams import coordinator_stream_name, identify
from eventlog.system_admin import PartitionBounds
from projections.input_bounds import BoundsOfSystem, InputPartition, store_bounds
from tests.builders import checkpoint_v1, config_set, raw, task_partition
from tests.fixtures.acceptance.imported_job import ImportedJob
from tests.fixtures.coordstream.serve.site import Site


def test_tasks_show_how_far_they_are_behind_their_inputs(site: Site, database_url: str) -> None:
    with connect(database_url) as connection:
        ImportedJob(
            connection,
            "orders",
            coordinator=[
                config_set("task.inputs", "kafka.in"),
                *(task_partition(f"kafka.in.{n}", f"Partition {n // 2}") for n in range(3)),
            ],
            checkpoints=[
                checkpoint_v1("Partition 0", {"kafka.in.0": "1006", "kafka.in.1": "2240"}),
                checkpoint_v1("Partition 1", {"kafka.in.2": "7"}),
            ],
        )
        wanted = [InputPartition("kafka", "in", partition) for partition in range(3)]
        bounds = [PartitionBounds("in", partition, 0, 2_241, 0) for partition in range(3)]
        store_bounds(connection, "orders", "1", wanted, [BoundsOfSystem("kafka", bounds)], datetime.now(UTC))
    page = site.get("/job", job="orders")
    assert "Task Records behind For Last checkpoint" in page.text
    assert "Partition 0 1,234 over 0 s" in page.text
    assert page.text.index("Partition 1 2,233") < page.text.index("Partition 0 1,234")
    assert "Its lag is unknown" not in page.text
    assert "Records behind" not in site.get("/job", job="orders", as_of="now").text


def test_many_tasks_have_pages_in_the_order_of_their_numbers(site: Site, database_url: str) -> None:
    with connect(database_url) as connection:
        checkpoints = [checkpoint_v1(f"Partition {n}", {f"kafka.in.{n}": "7"}) for n in range(120)]
        ImportedJob(connection, "orders", checkpoints=checkpoints)
    first = site.get("/job", job="orders")
    tasks = [parse_qs(urlsplit(link).query)["task"][0] for link in first.links if urlsplit(link).path == "/task"]
    assert tasks == [f"Partition {n}" for n in range(100)]
    assert "101–120 of 120 tasks" in site.get(next(link for link in first.links if "page=2" in link)).text
    found = site.get("/job", job="orders", q="partition 11")
    assert "11 of them match “partition 11”" in found.text
    task = site.get("/task", job="orders", task="Partition 9")
    assert "Previous: Partition 8 Next: Partition 10" in task.text


def test_digits_of_other_scripts_are_no_numbers(site: Site, database_url: str) -> None:
    names = ["Partition 2", "Partition 10", "Partition ²", "Partition ٣"]
    with connect(database_url) as connection:
        ImportedJob(connection, "orders", checkpoints=[checkpoint_v1(name, {"kafka.in².0": "7"}) for name in names])
    tasks = [link for link in site.get("/job", job="orders").links if urlsplit(link).path == "/task"]
    assert [parse_qs(urlsplit(link).query)["task"][0] for link in tasks] == names
    assert "Previous: Partition ²" in site.get(tasks[-1]).text


def test_anomalies_are_explained(site: Site, database_url: str) -> None:
    with connect(database_url) as connection:
        offsets = ("7", "3")
        checkpoints = [checkpoint_v1("Partition 0", {"kafka.in.0": offset}) for offset in offsets]
        ImportedJob(connection, "orders", checkpoints=checkpoints)
    page = site.get("/job/anomalies", job="orders")
    assert "Anomalies 1" in page.text
    assert "checkpoint moved back kafka.in.0" in page.text


def test_quarantine_has_pages_and_gaps_their_reason(site: Site, database_url: str) -> None:
    with connect(database_url) as connection:
        job = ImportedJob(connection, "orders", coordinator=[raw(f"key {n}".encode(), b"{}") for n in range(60)])
        connection.execute(
            "insert into projection.gap (log_id, first_offset, last_offset)"
            " select log_id, 7, 9 from projection.job_log where stream_name = %s",
            (job.coordinator_stream,),
        )
    page = site.get("/quarantine")
    assert "Quarantine 60 events" in page.text
    assert "1–50 of 60 events, page 1 of 2" in page.text
    assert "compacted 7 9" in page.text
    assert identify(coordinator_stream_name("orders")).stream_name in page.text
    assert "51–60 of 60 events" in site.get("/quarantine", page=2, job="orders").text
    beyond = site.get("/quarantine", page=99).text
    assert "Quarantine 60 events" in beyond
    assert "51–60 of 60 events, page 2 of 2" in beyond
    assert "None." in site.get("/quarantine", as_of="2000-01-01").text


def test_times_beyond_the_year_9999_are_shown(site: Site, database_url: str) -> None:
    far = 1_700_000_000_000_000  # microseconds for milliseconds: the year 55840
    with connect(database_url) as connection:
        ImportedJob(
            connection,
            "orders",
            coordinator=[config_set(at=far)],
            checkpoints=[checkpoint_v1("Partition 0"), checkpoint_v1("Partition 1", at=far)],
        )
    for path in ("/", "/job", "/job/config", "/job/deployments", "/job/startpoints", "/job/anomalies", "/quarantine"):
        page = site.get(path, job="orders")
        assert ("55840-" in page.text) is (path in ("/", "/job", "/job/config", "/job/deployments")), path
    assert "55840-" in site.get("/task", job="orders", task="Partition 1").text
    assert "Commits per minute" in site.get("/task", job="orders", task="Partition 0").text
