"""Encrypted connections to brokers, from kafka-python's options."""

import ssl
from collections.abc import Mapping
from typing import Any

from eventlog.kafka.options import OptionRefused


def uses_tls(client_options: Mapping[str, Any]) -> bool:
    """Whether connections are encrypted."""
    return client_options.get("security_protocol") in {"SSL", "SASL_SSL"}


def tls_context(client_options: Mapping[str, Any]) -> ssl.SSLContext:
    """What the client trusts and shows, from the options ``ssl_*``.

    Raises:
        OptionRefused: a file holds no certificate or key, or the key's password is another.
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
            f"the files of ssl_cafile, ssl_certfile, ssl_keyfile and ssl_crlfile can't be used ({reason}): "
            "look whether they hold PEM, and whether ssl_password is that of the key"
        ) from None
    return context
