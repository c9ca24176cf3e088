"""Output folders appear complete or not at all, in every file system."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark_jobs.errors import SparkJobError
from spark_jobs.output_folder import HadoopFolder, check_output, checked_path, local_path, output_folder


class Place:
    """A folder that outputs are written into: `address` is the job's name of it, `path` the test's."""

    def __init__(self, spark: SparkSession, address: str, path: Path) -> None:
        self.spark, self.address, self.path = spark, address, path

    def write(self, name: str, text: str, *, overwrite: bool = False, fails: bool = False) -> None:
        with output_folder(self.spark, f"{self.address}/{name}", "marker", overwrite=overwrite) as folder:
            (folder.files / "marker").write_text(text)
            if fails:
                raise ZeroDivisionError

    def names(self) -> list[str]:
        """The entries, except the checksum files of Hadoop's local file system."""
        return [path.name for path in self.path.iterdir() if not path.name.endswith(".crc")]


@pytest.fixture(params=["path", "file-uri", "other-scheme"])
def place(request: pytest.FixtureRequest, spark: SparkSession, tmp_path: Path) -> Place:
    if request.param != "other-scheme":
        return Place(spark, str(tmp_path) if request.param == "path" else f"file://{tmp_path}", tmp_path)
    mount: Callable[[Path], Place] = request.getfixturevalue("mounted")
    return mount(tmp_path)


@pytest.fixture
def mounted(spark: SparkSession) -> Iterator[Callable[[Path], Place]]:
    """A local folder as a folder of another file system, through Hadoop's viewfs://."""
    conf = spark.sparkContext._jsc.hadoopConfiguration()
    name = "fs.viewfs.mounttable.cluster.link./jobs"

    def mount(path: Path) -> Place:
        conf.set(name, path.as_uri())
        return Place(spark, "viewfs://cluster/jobs", path)

    spark._jvm.org.apache.hadoop.fs.FileSystem.closeAll()  # type: ignore[union-attr]  # drops the previous test's
    yield mount
    conf.unset(name)


def test_the_folder_appears_when_the_block_succeeds(place: Place) -> None:
    with output_folder(place.spark, f"{place.address}/new/out", "marker", overwrite=False) as folder:
        (folder.files / "part").write_text("x")
        assert not (place.path / "new" / "out").exists()
    assert (place.path / "new" / "out" / "part").read_text() == "x"
    assert place.names() == ["new"]
    assert [path.name for path in (place.path / "new").iterdir() if not path.name.endswith(".crc")] == ["out"]


def test_an_output_is_checked_without_spark(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    for output in (str(tmp_path / "out"), (tmp_path / "out").as_uri()):
        with pytest.raises(SparkJobError, match=r"exists\. Choose another folder, or use --overwrite"):
            check_output(output, "marker", overwrite=False)
        check_output(output, "marker", overwrite=True)
    for output in (str(tmp_path / "new"), "s3a://bucket/out"):
        check_output(output, "marker", overwrite=False)
    assert list(tmp_path.iterdir()) == [tmp_path / "out"]


def test_a_failed_block_leaves_nothing(place: Place) -> None:
    with pytest.raises(ZeroDivisionError):
        place.write("out", "x", fails=True)
    assert place.names() == []


def test_an_earlier_result_is_replaced_only_with_overwrite(place: Place) -> None:
    place.write("out", "old")
    with pytest.raises(SparkJobError, match=r"exists\. Choose another folder, or use --overwrite"):
        place.write("out", "new")
    assert (place.path / "out" / "marker").read_text() == "old"
    place.write("out", "new", overwrite=True)
    assert (place.path / "out" / "marker").read_text() == "new"
    assert place.names() == ["out"]


def test_a_folder_that_is_not_a_result_is_never_replaced(place: Place) -> None:
    (place.path / "home").mkdir()
    (place.path / "home" / "letter").write_text("dear")
    (place.path / "file").write_text("dear")
    for name in ("home", "file"):
        with pytest.raises(SparkJobError, match="is not an earlier result"):
            place.write(name, "new", overwrite=True)
    assert (place.path / "home" / "letter").read_text() == "dear"
    (place.path / "empty").mkdir()
    place.write("empty", "new", overwrite=True)
    assert (place.path / "empty" / "marker").read_text() == "new"


def test_an_unwritable_output_is_reported(place: Place) -> None:
    (place.path / "file").write_text("")
    with pytest.raises(SparkJobError, match=r"Output '.*/file/out' cannot be used"):
        place.write("file/out", "new")


@pytest.mark.spark
def test_a_failed_replacement_restores_the_earlier_result(
    mounted: Callable[[Path], Place], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = mounted(tmp_path)
    place.write("out", "old")
    rename = HadoopFolder.rename

    refused = iter([True, False, True])  # the old one is moved away, the new one fails, the old one is moved back
    monkeypatch.setattr(HadoopFolder, "rename", lambda folder, target: next(refused) and rename(folder, target))
    with pytest.raises(SparkJobError, match=r"The file system cannot create output '.*/out'"):
        place.write("out", "new", overwrite=True)
    assert (tmp_path / "out" / "marker").read_text() == "old"
    assert place.names() == ["out"]


@pytest.mark.spark
@pytest.mark.parametrize("output", ["s3a://bucket/out", "nosuch://host/out"])
def test_an_unknown_file_system_is_reported(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with (
        pytest.raises(
            SparkJobError, match=rf"^Spark has no file system for '{output.partition(':')[0]}:'\. Add its jar"
        ) as refusal,
        output_folder(spark, output, "marker", overwrite=False),
    ):
        raise AssertionError("the block was entered")
    assert "\n" not in str(refusal.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("output", "path"),
    [
        ("out", Path("out")),
        ("a:b/out", Path("a:b/out")),
        ("/tmp/out", Path("/tmp/out")),
        ("file:///tmp/my%20out", Path("/tmp/my out")),
        ("file:/tmp/out", Path("/tmp/out")),
        ("FILE://localhost/tmp/out", Path("/tmp/out")),
        ("s3a://bucket/out", None),
        ("hdfs:///out", None),
        ("abfss://container@account.dfs.core.windows.net/out", None),
    ],
)
def test_uris_and_local_folders_are_distinguished(output: str, path: Path | None) -> None:
    assert local_path(output) == path


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        ("s3a://key:hunter2@bucket/out", "--output contains a password"),
        ("s3a://bucket/", "contains no folder name. Add one, for example 's3a://bucket/progress'"),
        ("s3a://[bucket/out", "Invalid output 's3a://.bucket/out': "),
        ("file:///tmp/a#b", "contains '#'. Write %23 instead"),
        ("file://host/out", "contains the host 'host'. Expected file:///folder"),
    ],
)
def test_an_invalid_output_is_rejected(output: str, sentence: str) -> None:
    with pytest.raises(SparkJobError, match=sentence) as refusal:
        local_path(output)
    assert "hunter2" not in str(refusal.value)


@pytest.mark.parametrize(
    "output", ["a*", "a?/fleet", "a[1]", "file:///tmp/a[", "s3a://bucket/{a,b}", "s3a://bucket/a\\b"]
)
def test_an_output_that_spark_would_read_as_a_pattern_is_rejected(output: str) -> None:
    with pytest.raises(SparkJobError, match=r"Invalid output '.*': Spark reads it as a pattern\."):
        checked_path(output)


def test_the_working_directory_is_a_part_of_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a[1]").mkdir()
    monkeypatch.chdir(tmp_path / "a[1]")
    with pytest.raises(SparkJobError, match=r"Invalid output '.*/a\[1\]/fleet'"):
        checked_path("fleet")


def test_an_empty_output_is_rejected() -> None:
    with pytest.raises(SparkJobError, match=r"^The output is empty\. Expected a path"):
        checked_path("")


@pytest.mark.spark
def test_an_output_with_other_characters_is_read_again(spark: SparkSession, tmp_path: Path) -> None:
    for name in ("2026-11-21T09:17", "a,b", "a]", "a}", "a#b", "a;b", "a'b", "a%20b", "a b", "fleet (100%20) ü"):
        with output_folder(spark, str(tmp_path / name), "marker", overwrite=False) as folder:
            spark.range(3).write.parquet(folder.table("counts"))
            assert spark.read.parquet(folder.table("counts")).count() == 3


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_folder_that_appears_while_the_output_is_built_is_kept(place: Place, overwrite: bool) -> None:
    def build() -> None:
        with output_folder(place.spark, f"{place.address}/out", "marker", overwrite=overwrite) as folder:
            (folder.files / "marker").write_text("new")
            (place.path / "out").mkdir()
            (place.path / "out" / "letter").write_text("dear")

    with pytest.raises(SparkJobError, match="is not an earlier result" if overwrite else "use --overwrite"):
        build()
    assert (place.path / "out" / "letter").read_text() == "dear"
    assert place.names() == ["out"]
