"""Output folders that appear complete or not at all, in any file system that pyarrow reaches."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
from pyarrow import fs

from spark_jobs.errors import SparkJobError
from spark_jobs.place import local_path


@contextmanager
def output_folder(output: str, marker: str, *, overwrite: bool) -> Iterator[Path]:
    """A new folder, which becomes `output` when the block succeeds and is deleted when it fails.

    `output` is a path, or a URI of any file system that pyarrow reaches with the credentials of its environment, such
    as s3a:// or hdfs://. There the files are copied one by one.

    An existing `output` is replaced only if `overwrite` is set and the folder is empty or contains `marker`, the file
    that identifies an earlier result. Otherwise raises SparkJobError, before anything is read or written.
    """
    check_output(output, marker, overwrite=overwrite)
    target = local_path(output)
    with _output_errors(output):
        if target is not None:
            target.absolute().parent.mkdir(parents=True, exist_ok=True)
        scratch = TemporaryDirectory(prefix=".coordstream-", dir=target and target.absolute().parent)
    with scratch:
        built, old = Path(scratch.name, "new"), Path(scratch.name, "old")
        built.mkdir()
        yield built
        check_output(output, marker, overwrite=overwrite)  # another program may have created it meanwhile
        with _output_errors(output):
            if target is None:
                system, folder = file_system(output)
                system.create_dir(folder)
                system.delete_dir_contents(folder)
                fs.copy_files(str(built), folder, destination_filesystem=system)
            else:
                if target.exists():
                    target.rename(old)
                try:
                    built.rename(target)
                except OSError:
                    if old.exists():
                        old.rename(target)
                    raise


def check_output(output: str, marker: str, *, overwrite: bool) -> None:
    """Raise SparkJobError if `output_folder` would refuse the output."""
    with _output_errors(output):
        system, folder = file_system(output)
        found = system.get_file_info(folder)
        if found.type == fs.FileType.NotFound:
            return
        is_empty = found.type == fs.FileType.Directory and not system.get_file_info(fs.FileSelector(folder))
        is_result = is_empty or system.get_file_info(f"{folder}/{marker}").is_file
    if not overwrite:
        raise SparkJobError(
            f"Output folder '{output}' exists. Choose another folder, or use --overwrite to replace it."
        )
    if not is_result:
        raise SparkJobError(f"Output folder '{output}' is not an earlier result of this job. Choose another folder.")


def file_system(output: str) -> tuple[fs.FileSystem, str]:
    """The file system of an output, and the path in it. Raises what pyarrow raises."""
    local = local_path(output)
    if local is not None:
        return fs.LocalFileSystem(), str(local.resolve())
    system, folder = fs.FileSystem.from_uri(output.replace("s3a://", "s3://", 1).rstrip("/"))
    return system, folder


@contextmanager
def _output_errors(output: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        raise SparkJobError(f"Output '{output}' cannot be used: {' '.join(str(error).split())}.") from error
