import shlex

from coordstream.postgres.configuration import server_options, syncs_to_disk


def test_options_survive_the_shell_of_pg_ctl() -> None:
    words = shlex.split(server_options(5433, {"application_name": 'it\'s $HOME; "x"'}))
    assert words[:2] == ["-p", "5433"]
    assert 'application_name=it\'s $HOME; "x"' in words
    assert "unix_socket_directories=" in words


def test_an_override_replaces_the_setting() -> None:
    words = shlex.split(server_options(1, {"shared_buffers": "16MB"}))
    assert [word for word in words if word.startswith("shared_buffers")] == ["shared_buffers=16MB"]


def test_only_fsync_off_gives_up_durability() -> None:
    assert syncs_to_disk({"synchronous_commit": "off"})
    assert not syncs_to_disk({"fsync": "off"})
