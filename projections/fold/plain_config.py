"""The fast way through a config message: one that is spelt as Samza spells it, with plain texts, needs no JSON."""

import re
from collections.abc import Callable
from typing import Final

from eventlog.messages import Envelope
from eventlog.secrets.secret_policy import SecretPolicy
from projections.fold.bodies import JSONB_VERSION, config_body, encode_body

_TEXT: Final = rb'"([ !#-\[\]-~]*)"'  # printable ASCII but quote and backslash: the same in JSON, in UTF-8 and in jsonb
_TIME: Final = rb"(0|[1-9][0-9]{0,17})"
_match: Final = re.compile(
    rb'\{"host":%b,"source":%b,"values":\{"value":%b\},"username":%b,"timestamp":%b\}'
    % (_TEXT, _TEXT, _TEXT, _TEXT, _TIME)
).fullmatch


def read_plain_config(
    value: bytes, is_sensitive: bool, secrets: SecretPolicy, holds_secret: Callable[[str], bool]
) -> tuple[bytes, Envelope] | None:
    """The row's body and the envelope of a set-config's value; None: it has to be read in full.

    ``holds_secret`` is that of ``secrets``, or one that remembers its answers.
    """
    found = _match(value)
    if found is None:
        return None
    host, source, text, username, timestamp = found.groups()
    envelope = Envelope(source.decode(), host.decode(), username.decode(), int(timestamp))
    if is_sensitive or holds_secret(text.decode()):
        return encode_body(config_body(text.decode(), is_sensitive, secrets)), envelope
    return b'%b{"config_value": "%b"}' % (JSONB_VERSION, text), envelope
