"""The commands of `coordstream spark` on a server of Spark Connect."""

from pathlib import Path

import pytest

from tests.coordstream.command_line import COORDINATOR, MASK_KEY, RECORDING_A, in_own_process

pytestmark = pytest.mark.spark


def test_a_replay_and_a_lake(connect_url: str, database_url: str, tmp_path: Path) -> None:
    settings = {"COORDSTREAM_DATABASE_URL": database_url, "COORDSTREAM_MASK_KEY": MASK_KEY}
    for words, printed in (
        (("replay", "--from", str(RECORDING_A[0])), "Replayed 1 log: 427 events"),
        (("verify", "--all", "--csv"), COORDINATOR),
        (("archive", "--output", str(tmp_path / "lake")), "Run 1: 427 events of 1 logs in "),
        (("replay", "--from", str(tmp_path / "lake")), "Replayed 1 log: 0 events, 427 events already present"),
    ):
        ended = in_own_process("spark", *words, "--master", connect_url, **settings)
        assert ended.code == 0, ended.err
        assert printed in ended.out
