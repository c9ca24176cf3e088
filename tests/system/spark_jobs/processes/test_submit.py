"""A report on a cluster, submitted with the wheel, as docs/spark.md shows it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from psycopg.conninfo import conninfo_to_dict

from eventlog.postgres.connection import connect
from tests.checkout import CHECKOUT
from tests.fixtures.acceptance.odd_jobs import import_recording_a
from tests.fixtures.spark_cluster import SparkCluster, program_settings
from tests.fixtures.waiting import PATIENCE

pytestmark = pytest.mark.long

PAGE: Final = (CHECKOUT / "docs" / "spark.md").read_text(encoding="utf-8")
WHERE_EXECUTORS_FIND_IT: Final = """
import pyarrow
from pyspark.sql import SparkSession

def places(batches):
    import spark_jobs
    for _ in batches:
        yield pyarrow.record_batch({"place": [spark_jobs.__file__]})

spark = SparkSession.builder.getOrCreate()
print(spark.range(0, 2, 1, 2).mapInArrow(places, "place string").distinct().collect())
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from this checkout, without the network."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "wheel", "--wheel-dir", str(folder)]
    subprocess.run([*pip, "--no-deps", "--no-build-isolation", "--no-index", str(CHECKOUT)], check=True)
    return next(folder.glob("*.whl"))


def test_the_documented_command_runs_on_a_cluster_without_logging_the_password(
    spark_cluster: SparkCluster, database_url: str, jdbc_jar: Path, wheel: Path, tmp_path: Path
) -> None:
    with connect(database_url) as connection:
        import_recording_a(connection)
    (command,) = re.findall(r"^```sh\n(PROGRAM=.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    settings = "".join(f"{name} {value}\n" for name, value in program_settings().items())
    (tmp_path / "spark-defaults.conf").write_text(f"{settings}spark.log.level DEBUG\n")
    environ = {name: value for name, value in os.environ.items() if name != "COORDSTREAM_JDBC_JAR"} | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COORDSTREAM_DATABASE_URL": database_url,
        "SPARK_CONF_DIR": str(tmp_path),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "MASTER": spark_cluster.master_url,
        "JAR": str(jdbc_jar),
        "WHEEL": str(wheel),
        "SHARED": str(tmp_path),
    }
    ended = subprocess.run(
        ["bash", "-euc", command], cwd=tmp_path, env=environ, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    assert "of all jobs" in ended.stdout
    assert (tmp_path / "churn" / "config_churn.png").is_file()
    assert "config_change" in ended.stderr, "Spark's log is not verbose, so the test does not look for passwords"
    assert str(conninfo_to_dict(database_url)["password"]) not in ended.stdout + ended.stderr


def test_executors_import_the_submitted_wheel(spark_cluster: SparkCluster, wheel: Path, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(WHERE_EXECUTORS_FIND_IT)
    archive = shutil.copy(wheel, tmp_path / "coordstream.zip")
    ended = spark_cluster.submit("--py-files", str(archive), str(program))
    out, err = ended.communicate(timeout=PATIENCE)
    assert ended.returncode == 0, err[-3000:].decode()
    assert "/coordstream.zip/spark_jobs/__init__.py" in out.decode()
