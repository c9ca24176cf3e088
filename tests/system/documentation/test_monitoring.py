"""docs/monitoring: its alerts and its dashboard ask for what is served, and each alert fires when it should."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from ruamel.yaml import YAML

from coordstream.queries.jobs import STATES
from tests.builders import checkpoint_v1, recorded, task_container, task_partition
from tests.checkout import CHECKOUT
from tests.fixtures.coordstream.command_line import CommandLine, recording, started
from tests.fixtures.coordstream.serve.serving import serving
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.waiting import wait_until

FOLDER: Final = CHECKOUT / "docs" / "monitoring"
RULES_FILE: Final = FOLDER / "alerts.yml"
TESTS_FILE: Final = Path(__file__).with_name("alerts_test.yml")
RULES: Final = YAML(typ="safe").load(RULES_FILE)["groups"][0]["rules"]
TESTS: Final = YAML(typ="safe").load(TESTS_FILE)["tests"]
DASHBOARD: Final = json.loads((FOLDER / "dashboard.json").read_text(encoding="utf-8"))
QUERIES: Final = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
OF_TARGETS: Final = {"job", "instance"}
"""The labels that Prometheus adds."""
_SELECTOR: Final = re.compile(r"\b(up|(?:coordstream|samza)_\w+)\b(?:\{([^}]*)\})?")
_MATCHER: Final = re.compile(r'(\w+)\s*(=~|=)\s*"([^"]*)"')
_LISTED: Final = re.compile(r"\b(?:by|on|group_left)\s*\(([^)]*)\)")

Scrape = dict[str, dict[str, set[str]]]
"""The labels of each metric that has values, each with its values."""


@pytest.fixture
def scrape(cli: CommandLine, topics: Topics, tmp_path: Path) -> Scrape:
    """What `serve` and a coordinator serve, of jobs with everything that has a metric."""
    moved_back = recorded(checkpoint_v1("t", {"kafka.in.0": offset}) for offset in ("7", "3"))
    cli.done("import", recording(tmp_path / "c.jsonl", moved_back, "__samza_checkpoint_ver_1_for_views_1"))
    assigned = recorded([task_container("t"), task_partition("kafka.in.0", "t")])
    cli.done("import", recording(tmp_path / "j.jsonl", assigned, "__samza_coordinator_views_1"))
    cli("lag")  # observes that the inputs do not answer
    stream = "__samza_coordinator_orders_1"
    cli.done("log", "create", stream)
    config = {
        "job.name": "orders",
        "task.inputs": f"kafka.{topics.create('monitored-input')}",
        "systems.kafka.samza.factory": "org.apache.samza.system.kafka.KafkaSystemFactory",
        "systems.kafka.consumer.bootstrap.servers": topics.bootstrap_servers,
    }
    for key, value in config.items():
        cli.done("config", "set", "orders", key, value)
    with (
        serving(cli.database_url) as served,
        started(cli, "follow", stream),
        started(cli, "coordinator", "run", "orders", "--metrics-port", "0") as process,
    ):
        assert process.stderr is not None
        addresses = [
            str(served.client.base_url.join("/")),
            process.stderr.readline().rpartition(" on ")[2].removesuffix(".\n"),
        ]

        def scraped() -> Scrape:
            found: Scrape = {"up": {}}
            for text in (httpx.get(f"{address}metrics").text for address in addresses):
                for family in text_string_to_metric_families(text):
                    for sample in family.samples:
                        labels = found.setdefault(sample.name, {})
                        for label, value in sample.labels.items():
                            labels.setdefault(label, set()).add(value)
            return found

        last = {
            "coordstream_job_anomalies",
            "coordstream_log_heartbeat_age_seconds",
            "coordstream_coordinator_containers",
        }
        wait_until(lambda: last <= scraped().keys(), what="the metrics of all processes")
        return scraped()


@pytest.mark.kafka
@pytest.mark.slow
def test_what_is_asked_for_is_served(scrape: Scrape) -> None:
    variables = [each["query"]["query"] for each in DASHBOARD["templating"]["list"] if each["type"] == "query"]
    for query in [*(rule["expr"] for rule in RULES), *QUERIES, *variables]:
        asked = _SELECTOR.findall(query)
        assert asked
        for name, matchers in asked:
            for label, operator, value in _MATCHER.findall(matchers):
                assert label in scrape[name].keys() | OF_TARGETS, query
                assert operator == "=~" or value in {*scrape[name][label], *STATES}, query
        listed = {label.strip() for labels in _LISTED.findall(query) for label in labels.split(",")}
        assert listed <= OF_TARGETS.union(*(scrape[name] for name, _ in asked)), query
    for series in {each["series"] for test in TESTS for each in test["input_series"]}:
        ((name, matchers),) = _SELECTOR.findall(series)
        labels = {label for label, _, _ in _MATCHER.findall(matchers)}
        assert labels == scrape[name].keys() | OF_TARGETS, series


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_an_alert_is_complete_and_has_a_test(rule: dict[str, Any]) -> None:
    expected = [sample["labels"] for test in TESTS for ask in test["promql_expr_test"] for sample in ask["exp_samples"]]
    assert any(f'alertname="{rule["alert"]}"' in labels for labels in expected)
    assert rule["labels"]["severity"] in ("critical", "warning")
    assert rule["for"]
    summary, description = rule["annotations"]["summary"], rule["annotations"]["description"]
    listed = _LISTED.search(rule["expr"])
    known = OF_TARGETS if listed is None else {*listed[1].split(", ")}
    assert {*re.findall(r"\$labels\.(\w+)", summary + description)} <= known


def test_each_alert_fires_when_it_should() -> None:
    promtool("check", "rules", str(RULES_FILE))
    promtool("test", "rules", str(TESTS_FILE))


def test_prometheus_can_parse_what_the_dashboard_asks(tmp_path: Path) -> None:
    rules = [{"record": f"query:{number}", "expr": query} for number, query in enumerate(QUERIES)]
    file = tmp_path / "queries.yml"
    file.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}), encoding="utf-8")
    promtool("check", "rules", str(file))


def promtool(*words: str) -> None:
    """Run promtool, which must succeed. Skips without it."""
    program = shutil.which("promtool")
    if program is None:
        pytest.skip("promtool is not installed (Debian's package prometheus has it)")
    ended = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
