"""What a client trusts and shows."""

import ssl
from pathlib import Path
from typing import Final

import pytest

from eventlog.kafka.options import OptionRefused
from eventlog.kafka.tls import tls_context, uses_tls

#: A certificate and its key, made for these tests; the key's password is the name.
STRANGER: Final = str(Path(__file__).with_name("unknown_authority.pem"))


@pytest.mark.parametrize(
    ("protocol", "expected"), [("SSL", True), ("SASL_SSL", True), ("SASL_PLAINTEXT", False), (None, False)]
)
def test_the_protocol_says_whether_it_is_used(protocol: str | None, expected: bool) -> None:
    assert uses_tls({"security_protocol": protocol}) == expected


def test_the_other_end_must_be_known_and_be_who_it_says() -> None:
    context = tls_context({"ssl_cafile": STRANGER})
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert context.minimum_version == ssl.TLSVersion.TLSv1_2
    assert [authority["subject"] for authority in context.get_ca_certs()] == [((("commonName", "stranger"),),)]


def test_who_it_says_may_be_left_aside() -> None:
    context = tls_context({"ssl_cafile": STRANGER, "ssl_check_hostname": False})
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, False)


def test_we_may_show_a_certificate() -> None:
    tls_context({"ssl_certfile": STRANGER, "ssl_keyfile": STRANGER, "ssl_password": "stranger"})
    tls_context({"ssl_certfile": STRANGER, "ssl_password": "stranger"})


@pytest.mark.parametrize("password", [{"ssl_password": "a secret"}, {}])
def test_a_wrong_password_of_the_key_is_reported_without_a_prompt(password: dict[str, str]) -> None:
    with pytest.raises(OptionRefused, match="that ssl_password is that of the key") as refused:
        tls_context({"ssl_certfile": STRANGER, **password})
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("option", ["ssl_cafile", "ssl_certfile", "ssl_crlfile"])
def test_an_invalid_file_is_reported(tmp_path: Path, option: str) -> None:
    (tmp_path / "file.pem").write_text("a secret")
    with pytest.raises(OptionRefused, match=r"cannot be used .* Check that they are PEM"):
        tls_context({option: str(tmp_path / "file.pem")})
