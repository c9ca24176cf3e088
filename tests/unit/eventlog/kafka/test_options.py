"""How a cluster is reached."""

import json
from pathlib import Path

import pytest
from kafka.net.sasl import get_sasl_mechanism

from eventlog.kafka.client import TokenProvider
from eventlog.kafka.options import KafkaOptions, OptionRefused

SCRAM = {
    "security_protocol": "sasl_plaintext",
    "sasl_mechanism": "scram-sha-512",
    "sasl_plain_username": "follower",
    "sasl_plain_password": "a secret",
}


def test_addresses_alone_will_do() -> None:
    options = KafkaOptions.parse("one:9092, [::1]:9093")
    assert options.bootstrap_servers == "one:9092,[::1]:9093"
    assert options.client_config() == {"client_id": "coordstream", "bootstrap_servers": ["one:9092", "[::1]:9093"]}


@pytest.mark.parametrize(
    "servers",
    ["", "one", "one:", "one:9092,", "user@one:9092", "kafka://one:9092", "one:port", "one:0", "one:9092,two:65536"],
)
def test_an_invalid_address_is_refused(servers: str) -> None:
    with pytest.raises(OptionRefused, match=f"^Bootstrap server {servers.count(',') + 1} is invalid"):
        KafkaOptions.parse(servers)


def test_texts_become_what_the_client_wants(tmp_path: Path) -> None:
    authority = tmp_path / "ca.pem"
    authority.touch()
    given = {"security_protocol": "SSL", "ssl_check_hostname": "False", "ssl_cafile": str(authority)}
    assert KafkaOptions.parse("one:9092", given).client_options == {
        "security_protocol": "SSL",
        "ssl_check_hostname": False,
        "ssl_cafile": str(authority),
    }


def test_no_value_of_an_option_is_shown() -> None:
    options = KafkaOptions.parse("one:9092", SCRAM)
    assert repr(options) == str(options) == "KafkaOptions(bootstrap_servers='one:9092')"
    assert "secret" not in f"{options.client_config()}"
    assert options.client_config()["sasl_plain_password"] == "a secret"
    assert {options} == {KafkaOptions.parse("one:9092", SCRAM)}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"sasl_password": "a secret"}, "Unknown Kafka option 'sasl_password'. Expected one of client_id, "),
        ({"security_protocol": "TLS"}, "'security_protocol'. Expected one of PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL"),
        ({"ssl_check_hostname": "a secret"}, "'ssl_check_hostname'. Expected true or false"),
        ({"security_protocol": "SSL", "ssl_cafile": "/a/secret"}, "'ssl_cafile' does not exist"),
        ({"client_id": ""}, "'client_id' is empty. Set a value, or leave it out"),
        ({"sasl_plain_password": "a secret"}, "'sasl_plain_password' has no effect with security_protocol PLAINTEXT"),
        ({"security_protocol": "SSL", **dict([*SCRAM.items()][1:])}, "'sasl_mechanism' has no effect with .* SSL\\."),
        ({"security_protocol": "SASL_PLAINTEXT", "ssl_password": "a secret"}, "'ssl_password' has no effect with"),
        ({"security_protocol": "SSL", "ssl_keyfile": __file__}, "'ssl_certfile' is missing; ssl_keyfile requires it"),
        ({**SCRAM, "security_protocol": "SASL_SSL", "ssl_password": "a secret"}, "'ssl_certfile' is missing; ssl_pass"),
        ({"security_protocol": "SASL_SSL"}, "'sasl_mechanism' is missing; SASL_SSL requires it"),
        ({**SCRAM, "sasl_mechanism": "DIGEST"}, "'sasl_mechanism'. Expected one of"),
        ({name: text for name, text in SCRAM.items() if "password" not in name}, "'sasl_plain_password' is missing"),
        ({**SCRAM, "sasl_mechanism": "OAUTHBEARER"}, "'sasl_oauth_token_provider' is missing; OAUTHBEARER requires it"),
        ({**SCRAM, "sasl_mechanism": "AWS_MSK_IAM"}, "AWS_MSK_IAM requires .* 'security_protocol' to be SASL_SSL"),
    ],
)
def test_an_error_about_an_option_does_not_show_its_value(options: dict[str, str], sentence: str) -> None:
    with pytest.raises(OptionRefused, match=sentence) as refused:
        KafkaOptions.parse("one:9092", options)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("path", "error"), [("secret", "ValueError"), ("os.secret", "AttributeError"), ("os.path.join", "TypeError")]
)
def test_a_token_provider_that_cannot_be_made_is_reported_without_its_path(path: str, error: str) -> None:
    with pytest.raises(OptionRefused, match=rf"cannot be used \({error}\).* package\.module\.Class") as refused:
        TokenProvider(path)
    assert "secret" not in str(refused.value)


def test_msk_iam_signs_with_the_credentials_of_aws(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION"):
        monkeypatch.setenv(name, "eu-west-1")
    given = {"security_protocol": "SASL_SSL", "sasl_mechanism": "AWS_MSK_IAM"}
    config = KafkaOptions.parse("one:9092", given).client_config()
    mechanism = get_sasl_mechanism(config["sasl_mechanism"])(host="one", **config)
    assert json.loads(mechanism.auth_bytes())["host"] == "one"


def test_kerberos_needs_no_password() -> None:
    given = {"security_protocol": "SASL_SSL", "sasl_mechanism": "GSSAPI", "sasl_kerberos_service_name": "kafka"}
    assert KafkaOptions.parse("one:9092", given).client_options == given
