"""The state backends of a store, from a job's config and a task's checkpoint."""

from typing import Final

import pytest

from eventlog.checkpoint import CheckpointId, CheckpointV1, CheckpointV2
from eventlog.errors import ConfigError
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY
from managers.state.state_backend import (
    backend_factory_store_names,
    backup_factories,
    require_read_markers,
    restore_factories,
    store_names,
)

STORES: Final = ("s0", "s1", "s2")
CONFIG: Final = {
    "stores.s0.restore.factories": "f0,f1,f2",
    "stores.s1.restore.factories": "f2, f1",
    "stores.s2.restore.factories": "",
    "stores.s1.changelog": "kafka.log1",
    "stores.s2.changelog": "kafka.log2",
}


def test_stores_are_those_with_a_factory() -> None:
    config = {
        "stores.counts.factory": "F",
        "stores.a.b.factory": "F",
        "stores.views.side.inputs.processor.factory": "P",
        "stores.views.factory": "F",
        "stores.other.changelog": "kafka.log",
        "stores.backup.factories": "F",
    }
    assert store_names(config) == ("a.b", "counts", "views")


@pytest.mark.scenario("TCM-08")
@pytest.mark.parametrize(
    ("config", "factories"),
    [
        ({}, ()),
        ({"stores.s.changelog": "kafka.log"}, (KAFKA_STATE_BACKEND_FACTORY,)),
        ({"stores.{}.factories": "f1"}, ("f1",)),
        ({"stores.{}.factories": "f1", "stores.s.changelog": "kafka.log"}, ("f1",)),
        ({"stores.s.{}.factories": " f2 , f1,f2,", "stores.{}.factories": "f3"}, ("f2", "f1")),
        ({"stores.s.{}.factories": "", "stores.{}.factories": "f3", "stores.s.changelog": "kafka.log"}, ()),
    ],
)
def test_a_stores_factories_are_its_own_then_those_of_the_job_then_its_changelog(
    config: dict[str, str], factories: tuple[str, ...]
) -> None:
    for which, choose in (("backup", backup_factories), ("restore", restore_factories)):
        assert choose({key.format(which): value for key, value in config.items()}, "s") == factories


def markers_of(**stores: tuple[str, ...]) -> CheckpointV2:
    return CheckpointV2(CheckpointId(1, 1), {}, {factory: dict.fromkeys(of, "m") for factory, of in stores.items()})


@pytest.mark.scenario("CSM-01", "CSM-02", "CSM-03")
@pytest.mark.parametrize(
    ("checkpoint", "found"),
    [
        (CheckpointV1({}), {KAFKA_STATE_BACKEND_FACTORY: ("s1", "s2")}),
        (None, {"f0": ("s0",), "f2": ("s1",)}),
        (markers_of(f1=STORES, f2=STORES), {"f1": ("s0",), "f2": ("s1",)}),
        (markers_of(f1=STORES, f2=("s0", "s2")), {"f1": ("s0", "s1")}),
        (markers_of(f2=STORES), {"f2": ("s0", "s1")}),
        (markers_of(f0=("s1", "s2"), f1=("s1", "s2"), f2=("s0", "s2")), {"f2": ("s0",), "f1": ("s1",)}),
        (markers_of(), {"f0": ("s0",), "f2": ("s1",)}),
    ],
)
def test_the_first_factory_with_a_marker_restores(
    checkpoint: CheckpointV1 | CheckpointV2 | None, found: dict[str, tuple[str, ...]]
) -> None:
    assert backend_factory_store_names(CONFIG, STORES, checkpoint) == found


@pytest.mark.parametrize(
    "versions",
    [
        {},
        {"task.checkpoint.read.versions": "1,2"},
        {"task.checkpoint.read.versions": "2", "task.checkpoint.write.versions": "1"},
    ],
)
def test_markers_that_a_restart_does_not_read_are_refused(versions: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="Store 's0' of task 't' is backed up by blobs, whose markers only") as caught:
        require_read_markers({"stores.s0.backup.factories": "blobs", **versions}, "t", ["s0"])
    assert "Set task.checkpoint.write.versions=1,2 and task.checkpoint.read.versions=2,1." in str(caught.value)
