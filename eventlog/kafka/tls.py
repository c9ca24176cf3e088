"""Encrypted connections to brokers, from kafka-python's options."""

import ssl
from collections.abc import Mapping
from typing import Any

from eventlog.kafka.options import OptionRefused


def uses_tls(client_options: Mapping[str, Any]) -> bool:
    """Whether connections are encrypted."""
    return client_options.get("security_protocol") in {"SSL", "SASL_SSL"}


def tls_context(client_options: Mapping[str, Any]) -> ssl.SSLContext:
    """The TLS context for the options ``ssl_*``.

    Raises:
        OptionRefused: a file has no certificate or key, or the key's password is wrong.
    """
    given = client_options.get
    try:
        context = ssl.create_default_context(cafile=given("ssl_cafile"))
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.check_hostname = given("ssl_check_hostname", True)
        if certificate := given("ssl_certfile"):
            context.load_cert_chain(certificate, given("ssl_keyfile"), given("ssl_password", ""))
        if revoked := given("ssl_crlfile"):
            context.load_verify_locations(revoked)
            context.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF
    except (OSError, ValueError) as error:
        reason = type(error).__name__
        raise OptionRefused(
            f"The files of ssl_cafile, ssl_certfile, ssl_keyfile and ssl_crlfile cannot be used ({reason}). "
            "Check that they are PEM files, and that ssl_password is that of the key."
        ) from None
    return context
