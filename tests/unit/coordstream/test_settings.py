import os
from pathlib import Path

import pytest
from pydantic import SecretStr

from coordstream.errors import SettingsError
from coordstream.settings import ROOT_HOME, Settings, load_settings
from eventlog.secret_policy import DEFAULT_SECRET_PATTERNS, SecretPolicy


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder, and an environment without settings."""
    for name in [name for name in os.environ if name.startswith("COORDSTREAM_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("empty", [(), ("DATABASE_URL", "MASK_KEY")])
def test_defaults_need_no_setting_and_an_empty_variable_counts_as_unset(
    empty: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in empty:
        monkeypatch.setenv(f"COORDSTREAM_{name}", "")
    settings = load_settings()
    assert (settings.database_url, settings.mask_key) == (None, None)
    assert settings.secret_patterns == DEFAULT_SECRET_PATTERNS
    assert (settings.kafka_bootstrap_servers, settings.kafka_options) == (None, {})
    assert settings.home.name == "coordstream"


@pytest.mark.parametrize(("uid", "is_roots"), [(0, True), (1000, False)])
def test_root_has_a_home_that_another_user_can_reach(uid: int, is_roots: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    assert (load_settings().home == ROOT_HOME) is is_roots


def test_the_environment_overrides_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "coordstream.toml").write_text('home = "/from/file"\nsecret_patterns = ["pin"]\n')
    monkeypatch.setenv("COORDSTREAM_HOME", "/from/environment")
    settings = load_settings()
    assert settings.home == Path("/from/environment")
    assert settings.secret_patterns == ("pin",)


def test_home_becomes_absolute(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COORDSTREAM_HOME", "data")
    assert load_settings().home == folder / "data"
    monkeypatch.setenv("COORDSTREAM_HOME", "~/data")
    assert load_settings().home == Path.home() / "data"


def test_a_user_without_a_home_folder_is_told_to_name_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 54_321)
    monkeypatch.setattr("pwd.getpwuid", lambda uid: {}[uid])
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(os, "getuid", lambda: 54_321)
    for _ in range(2):
        with pytest.raises(SettingsError, match=r"^This user has no home folder\. Set COORDSTREAM_HOME to a folder"):
            load_settings()
        monkeypatch.setenv("COORDSTREAM_HOME", "~/data")


def test_a_secret_of_a_file_and_of_the_environment_is_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A container's environment has mounted secrets with their last newline."""
    monkeypatch.setenv("COORDSTREAM_HOME", str(folder))
    (folder / "mask.key").write_text("a secret\n")
    from_file = load_settings().secrets.fingerprint("x")
    monkeypatch.setenv("COORDSTREAM_MASK_KEY", "a secret\n")
    monkeypatch.setenv("COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS", "b:9092\n")
    monkeypatch.setenv("COORDSTREAM_KAFKA_OPTIONS", '{"sasl_plain_password": "a secret\\n"}\n')
    settings = load_settings()
    assert settings.secrets.fingerprint("x") == from_file
    assert settings.kafka_options["sasl_plain_password"].get_secret_value() == "a secret"


def test_secret_patterns_are_a_comma_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COORDSTREAM_SECRET_PATTERNS", "pin, pass phrase ,,")
    assert load_settings().secret_patterns == ("pin", "pass phrase")


def test_secrets_show_in_no_text_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", "postgresql://me:hunter2@db/x?sslmode=require")
    monkeypatch.setenv("COORDSTREAM_MASK_KEY", "hunter2")
    settings = load_settings()
    assert "hunter2" not in f"{settings!r} {settings} {settings.model_dump_json()}"
    assert settings.database_url is not None
    assert settings.database_url.get_secret_value() == "postgresql://me:hunter2@db/x?sslmode=require"


@pytest.mark.parametrize("servers", ["b:9092", "b-1.x:9092, b_2:9093", "127.0.0.1:1", "[::1]:65535,[fe80::1%eth0]:9"])
def test_bootstrap_servers_are_hosts_with_ports(servers: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS", servers)
    kafka = load_settings().kafka
    assert kafka is not None
    assert kafka.client_config()["bootstrap_servers"] == servers.replace(" ", "").split(",")


def test_kafka_options_are_a_json_object_of_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS", "b:9092")
    given = '{"sasl_plain_password": "hunter2", "ssl_check_hostname": false, "request_timeout_ms": 5000}'
    monkeypatch.setenv("COORDSTREAM_KAFKA_OPTIONS", given)
    settings = load_settings()
    assert "hunter2" not in f"{settings!r} {settings} {settings.model_dump_json()}"
    texts = {"sasl_plain_password": "hunter2", "ssl_check_hostname": "false", "request_timeout_ms": "5000"}
    assert settings.kafka_options == {name: SecretStr(text) for name, text in texts.items()}


def test_kafka_options_are_a_table_of_the_file(folder: Path) -> None:
    text = 'kafka_bootstrap_servers = "b:9092"\n[kafka_options]\nsecurity_protocol = "SSL"\nssl_check_hostname = true\n'
    (folder / "coordstream.toml").write_text(text)
    options = {"security_protocol": SecretStr("SSL"), "ssl_check_hostname": SecretStr("true")}
    assert load_settings().kafka_options == options


@pytest.mark.parametrize(
    ("name", "value"), [("MASK_KEY", os.fsdecode(b"hunter2\xff")), ("KAFKA_OPTIONS", "[" * 100_000)]
)
def test_an_invalid_variable_is_named_but_not_shown(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"COORDSTREAM_{name}", value)
    with pytest.raises(SettingsError) as refused:
        load_settings()
    assert str(refused.value).startswith(f"Invalid COORDSTREAM_{name} (or {name.lower()} in coordstream.toml): ")
    assert value not in str(refused.value)


def test_the_options_for_kafka_are_checked_where_they_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings().kafka is None
    monkeypatch.setenv("COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS", "b:9092")
    monkeypatch.setenv("COORDSTREAM_KAFKA_OPTIONS", '{"security_protocol": "hunter2"}')
    settings = load_settings()
    with pytest.raises(SettingsError, match=r"^Invalid COORDSTREAM_KAFKA_OPTIONS: .*'security_protocol'\. Expected"):
        assert settings.kafka
    monkeypatch.setenv("COORDSTREAM_KAFKA_OPTIONS", '{"security_protocol": "ssl", "ssl_check_hostname": false}')
    kafka = load_settings().kafka
    assert kafka is not None
    assert kafka.client_options == {"security_protocol": "SSL", "ssl_check_hostname": False}
    assert kafka.max_batch_bytes == 64 << 20
    monkeypatch.setenv("COORDSTREAM_KAFKA_MAX_BATCH_BYTES", "1000")
    kafka = load_settings().kafka
    assert kafka is not None
    assert kafka.max_batch_bytes == 1000


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"homes = 'x'\n", "Unknown setting 'homes' in coordstream.toml. Known settings: home, database_url"),
        (b"home = \n", "Invalid TOML in coordstream.toml: Invalid value (at line 1, column 8)"),
        (b'# home\nhome = "\xff"\n', "Invalid TOML in coordstream.toml: line 2 is not UTF-8."),
        (b"kafka_max_batch_bytes = 0\n", "Invalid COORDSTREAM_KAFKA_MAX_BATCH_BYTES (or kafka_max_batch_bytes in"),
        (b"home = 7\n", "Invalid COORDSTREAM_HOME (or home in coordstream.toml): "),
        (b"secret_patterns = 7\n", "Invalid COORDSTREAM_SECRET_PATTERNS (or secret_patterns in coordstream.toml): "),
        (b'mask_key = ""\n', "Invalid COORDSTREAM_MASK_KEY (or mask_key in coordstream.toml): it is empty."),
        (b'database_url = "mysql://me:hunter2@db/x"\n', "Invalid COORDSTREAM_DATABASE_URL (or database_url in"),
        (b'[kafka_options]\nsecurity_protocol = "SSL"\n', "COORDSTREAM_KAFKA_OPTIONS is set but COORDSTREAM_KAFKA_"),
    ],
)
def test_an_invalid_file_is_reported_in_one_line_without_values(folder: Path, text: bytes, sentence: str) -> None:
    (folder / "coordstream.toml").write_bytes(text)
    with pytest.raises(SettingsError) as refused:
        load_settings()
    assert str(refused.value).startswith(sentence)
    assert "\n" not in str(refused.value)
    assert "hunter2" not in str(refused.value)


def test_secrets_are_fingerprinted_with_the_key_and_the_patterns_of_the_settings(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, mask_key=SecretStr("wörter"), secret_patterns=("pin",))
    assert settings.secrets == SecretPolicy("wörter".encode(), ("pin",))
    assert list(tmp_path.iterdir()) == []


def test_without_a_key_a_file_is_made_and_kept(tmp_path: Path) -> None:
    secrets = Settings(home=tmp_path).secrets
    assert Settings(home=tmp_path).secrets == secrets
    assert secrets == SecretPolicy((tmp_path / "mask.key").read_bytes().strip(), DEFAULT_SECRET_PATTERNS)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe"])
def test_an_unusable_key_file_is_reported(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "mask.key"
    path.write_bytes(content)
    with pytest.raises(SettingsError) as refused:
        _ = Settings(home=tmp_path).secrets
    assert str(refused.value) == (
        f"Cannot use the key file {path} (it is empty or not text). Restore it, or set COORDSTREAM_MASK_KEY."
    )
    with pytest.raises(SettingsError, match=r"mask\.key/mask\.key \(File exists\)\."):
        _ = Settings(home=path).secrets


def test_what_kubernetes_and_other_programs_set_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COORDSTREAM_DB_SERVICE_HOST", "10.0.0.1")
    monkeypatch.setenv("COORDSTREAM_PORT_8080_TCP_ADDR", "10.0.0.1")
    monkeypatch.setenv("COORDSTREAM_JDBC_JAR", "/jars/postgresql.jar")
    load_settings()
