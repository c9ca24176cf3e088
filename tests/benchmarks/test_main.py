"""A small run of all benchmarks on real servers: it tests that there are figures, not how good they are."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from benchmarks.__main__ import TITLES, main
from benchmarks.kept_database import kept_database
from benchmarks.relations import Extent
from tests.fixtures.kafka_broker import JVM

FEW = ("--events", "3000", "--rounds", "1", "--live-events", "2", "--idle-seconds", "0.1", "--topics", "3")
FEW_SERVE = ("--serve-jobs", "3", "--clients", "3", "--serve-seconds", "1")
UNWATCHED = ("--look-seconds", "0.01")
FEW_STATE = ("--state-megabytes", "1")
FEW_LARGE = ("--large-events", "4000")
SPARK = ("event-reads", "spark", "spark-sizes")
EVENTS, JOBS = 3_000, 2
FEW_RELATIONS = ("--relation-events", str(EVENTS), "--relation-jobs", str(JOBS))
MEASURED_ALONE = ("relations", *SPARK)  # Spark's would end the Spark session of the run


@pytest.mark.slow
def test_a_run_prints_its_report_and_writes_it(
    tmp_path: Path, kafka_jars: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.broker.PRODUCTION_JVM", JVM)  # starts in half the time
    out = tmp_path / "benchmarks.md"
    parts = [part for part in TITLES if part not in MEASURED_ALONE]
    few = (*FEW, *FEW_LARGE, *FEW_STATE, *FEW_SERVE, *UNWATCHED)
    main(["--only", *parts, *few, "--jars", str(kafka_jars.parent), "--out", str(out)])
    text = out.read_text(encoding="utf-8")
    assert capsys.readouterr().out.strip() == text.strip()
    assert "3,000 generated events" in text
    assert "Quarantined: 0." in text
    for row in (
        "Postgres, 1/s",
        "Kafka, 1,000/s",
        "Kafka, one of 3 topics",
        "one topic of V1 and V2",
        "SQLAlchemy Core",
        "store bootstrap",
        "Kafka changelog | 1 MB",
        "rebuild",
        "job model of 1,000 tasks",
    ):
        assert f"| {row}" in text


@pytest.mark.slow
def test_one_part_is_measured_again_on_data_of_before_and_other_sections_stay(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "benchmarks.md"
    out.write_text("# Benchmarks\n\n## Live\n\nkept\n\n## Relations\n\nreplaced\n")
    said: list[str] = []
    with TemporaryDirectory() as folder:  # Postgres may run as a user without access to tmp_path
        home = Path(folder) / "home"
        home.parent.chmod(0o711)
        with kept_database(home, Extent(EVENTS, JOBS), said.append):
            assert said
        main(["--only", "relations", *UNWATCHED, *FEW_RELATIONS, "--relation-home", str(home), "--out", str(out)])
    assert not set(said) & set(capsys.readouterr().err.splitlines())
    text = out.read_text(encoding="utf-8")
    assert "## Live\n\nkept\n" in text
    assert "replaced" not in text
    assert text.count("## Relations\n") == 1
    for relation in ("anomaly", "checkpoint_history", "checkpoint_as_of()", "newest_commits()"):
        assert f"| `{relation}` |" in text
    assert "| `config_history` |" in text.partition("times the limit")[2]
    assert "over " not in text


@pytest.mark.spark
@pytest.mark.slow
def test_spark_is_measured_in_a_process_of_its_own(tmp_path: Path, jdbc_jar: Path) -> None:
    out = tmp_path / "benchmarks.md"
    few = ("--events", "3000", "--rounds", "1", "--spark-sizes", "6000", "9000")
    words = ("--only", *SPARK, *UNWATCHED, *few, "--out", str(out))
    environ = {**os.environ, "COORDSTREAM_JDBC_JAR": str(jdbc_jar)}
    subprocess.run([sys.executable, "-m", "benchmarks", *words], env=environ, check=True, capture_output=True)
    text = out.read_text(encoding="utf-8")
    for row in ("`spark replay`", "`import --processes 2`", "a user's pipeline, in full", "raw COPY", "JDBC"):
        assert f"| {row}" in text
    assert f"## {TITLES['spark-sizes']}\n" in text
