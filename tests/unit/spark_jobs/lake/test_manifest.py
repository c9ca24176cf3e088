"""Manifests survive JSON, are merged in order, and prove what a lake has."""

from dataclasses import replace
from typing import Final

import pytest

from spark_jobs.lake.manifest import (
    LakeError,
    LakeFile,
    LakeLog,
    LogKey,
    Manifest,
    from_json,
    merge_manifests,
    to_json,
)

KEY: Final = LogKey("orders", 1)
FILE: Final = LakeFile("events/run=1/a.parquet", 10, "aa", "orders", 1, 3, 0, 2)
LATER: Final = replace(FILE, path="events/run=2/b.parquet", first_offset=3, last_offset=5)
LOG: Final = LakeLog(
    *("orders", "coordinator", 1, "kafka", "cluster", None, "2026-01-01T00:00:00+00:00"),
    is_current=True,
    is_complete=True,
    next_offset=3,
    last_offset=2,
    last_sha256="bb",
    observations=((2, "swept", "a2V5", None, None, "2026-01-01T00:00:00+00:00"),),
)
FIRST: Final = Manifest(1, (LOG,), (FILE,))
SECOND: Final = Manifest(2, (replace(LOG, next_offset=6),), (LATER,))


def test_a_manifest_survives_json() -> None:
    assert from_json(to_json(FIRST), "m") == from_json(to_json(FIRST).encode(), "m") == FIRST


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "{}", '{"format":1}', to_json(FIRST).replace('"logs"', '"others"'), to_json(FIRST)[:-1]),
        to_json(FIRST).encode().replace(b"orders", b"\xff\xfe"),
    ],
)
def test_a_damaged_manifest_is_named(text: str | bytes) -> None:
    with pytest.raises(LakeError, match=r"^Manifest 'lake/manifests/1/part' is damaged \(\w+\)\. Restore the file\.$"):
        from_json(text, "lake/manifests/1/part")


def test_a_manifest_of_another_format_is_an_error() -> None:
    with pytest.raises(LakeError, match=r"^Manifest 'part' has another format"):
        from_json(to_json(FIRST).replace('"format":1', '"format":2'), "part")


def test_manifests_add_files_and_the_newest_has_the_positions() -> None:
    lake = merge_manifests("lake", [SECOND, FIRST])
    assert lake.logs[KEY].next_offset == 6
    assert lake.files_of([KEY]) == [FILE, LATER]
    assert lake.files_of([LogKey("orders", 2)]) == []
    assert merge_manifests("lake", []).number == 0


def test_a_missing_manifest_is_an_error() -> None:
    with pytest.raises(LakeError, match=r"lacks the manifest of run 1\. Restore manifests/00000001\.json"):
        merge_manifests("lake", [SECOND])
