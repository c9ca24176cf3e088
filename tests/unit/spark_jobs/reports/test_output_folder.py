"""Output folders appear complete or not at all, in every file system."""

from pathlib import Path

import pytest
from pyarrow import fs

from spark_jobs.errors import SparkJobError
from spark_jobs.place import local_path
from spark_jobs.reports import report as module
from spark_jobs.reports.report import AS_OF_FILE, output_folder
from tests.fixtures.object_stores import S3Server


class Place:
    """A folder that outputs are written into, by its name for a report, and for pyarrow."""

    def __init__(self, address: str, system: fs.FileSystem, path: str) -> None:
        self.address, self.system, self.path = address, system, path

    def write(self, name: str, text: str, *, overwrite: bool = False, fails: bool = False) -> None:
        with output_folder(f"{self.address}/{name}", overwrite=overwrite) as folder:
            (folder / "table").mkdir()
            (folder / "table" / "part").write_text("rows")
            (folder / AS_OF_FILE).write_text(text)
            if fails:
                raise ZeroDivisionError

    def names(self) -> list[str]:
        return [found.base_name for found in self.system.get_file_info(fs.FileSelector(self.path))]

    def put(self, name: str, text: str) -> None:
        self.system.create_dir(f"{self.path}/{name}".rpartition("/")[0])
        with self.system.open_output_stream(f"{self.path}/{name}") as file:
            file.write(text.encode())

    def read(self, name: str) -> str:
        with self.system.open_input_file(f"{self.path}/{name}") as file:
            return bytes(file.readall()).decode()


@pytest.fixture(params=["path", "file-uri", "s3a"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    if request.param != "s3a":
        address = str(tmp_path) if request.param == "path" else f"file://{tmp_path}"
        return Place(address, fs.LocalFileSystem(), str(tmp_path))
    server: S3Server = request.getfixturevalue("s3_server")
    store = fs.S3FileSystem(access_key="test", secret_key="test", endpoint_override=server.url, region="us-east-1")
    bucket = server.bucket()
    monkeypatch.setattr(module, "file_system", lambda output: (store, output.removeprefix("s3a://")))
    return Place(f"s3a://{bucket}", store, bucket)


def test_the_folder_appears_when_the_block_succeeds(place: Place) -> None:
    with output_folder(f"{place.address}/new/out", overwrite=False) as folder:
        (folder / "part").write_text("x")
        assert not place.system.get_file_info(f"{place.path}/new/out/part").is_file
    assert place.read("new/out/part") == "x"
    assert place.names() == ["new"]


def test_a_failed_block_leaves_nothing(place: Place) -> None:
    with pytest.raises(ZeroDivisionError):
        place.write("out", "x", fails=True)
    assert place.names() == []


def test_an_earlier_result_is_replaced_only_with_overwrite(place: Place) -> None:
    place.write("out", "old")
    with pytest.raises(SparkJobError, match=r"exists\. Choose another folder, or use --overwrite"):
        place.write("out", "new")
    assert place.read(f"out/{AS_OF_FILE}") == "old"
    place.write("out", "new", overwrite=True)
    assert (place.read(f"out/{AS_OF_FILE}"), place.read("out/table/part")) == ("new", "rows")
    assert place.names() == ["out"]


def test_a_folder_that_is_not_a_result_is_never_replaced(place: Place) -> None:
    place.put("home/letter", "dear")
    place.put("file", "dear")
    for name in ("home", "file"):
        with pytest.raises(SparkJobError, match="is not an earlier result"):
            place.write(name, "new", overwrite=True)
    assert place.read("home/letter") == "dear"
    place.system.create_dir(f"{place.path}/empty")
    place.write("empty", "new", overwrite=True)
    assert place.read(f"empty/{AS_OF_FILE}") == "new"


def test_an_unwritable_output_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for output in (f"{tmp_path}/file/out", "unknown://host/out"):
        with pytest.raises(SparkJobError, match=rf"Output '{output}' cannot be used"):
            Place(output.rpartition("/")[0], fs.LocalFileSystem(), "").write("out", "new")


def test_a_failed_replacement_restores_the_earlier_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place(str(tmp_path), fs.LocalFileSystem(), str(tmp_path))
    place.write("out", "old")
    rename = Path.rename

    def failing(path: Path, target: Path) -> Path:
        if path.name == "new":
            raise PermissionError(1, "refused")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(SparkJobError, match="cannot be used"):
        place.write("out", "new", overwrite=True)
    assert place.read(f"out/{AS_OF_FILE}") == "old"
    assert place.names() == ["out"]


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
        ("s3a://key:hunter2@bucket/out", "The URI contains a password"),
        ("s3a://bucket/", "contains no folder name. Add one, for example 's3a://bucket/folder'"),
        ("s3a://[bucket/out", "Invalid output 's3a://.bucket/out': "),
        ("file:///tmp/a#b", "Expected file:///folder, with %23 for"),
        ("file://host/out", "Invalid output 'file://host/out'. Expected file:///folder"),
    ],
)
def test_an_invalid_output_is_rejected(output: str, sentence: str) -> None:
    with pytest.raises(SparkJobError, match=sentence) as refusal:
        local_path(output)
    assert "hunter2" not in str(refusal.value)


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_folder_that_appears_while_the_output_is_built_is_kept(place: Place, overwrite: bool) -> None:
    def build() -> None:
        with output_folder(f"{place.address}/out", overwrite=overwrite) as folder:
            (folder / AS_OF_FILE).write_text("new")
            place.put("out/letter", "dear")

    with pytest.raises(SparkJobError, match="is not an earlier result" if overwrite else "use --overwrite"):
        build()
    assert place.read("out/letter") == "dear"
    assert place.names() == ["out"]
