"""The tokens with which clients log in by OAUTHBEARER."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from kafka.errors import KafkaConnectionError
from kafka.net.sasl.oauth import AbstractTokenProvider

from eventlog.kafka.options import OptionRefused


class TokenProvider(AbstractTokenProvider):  # type: ignore[misc]  # kafka-python has no types
    """The tokens of a provider of the user's; if it fails, the error does not show its text, which may be a secret."""

    def __init__(self, path: str) -> None:
        """``path``: a class with the methods of kafka-python's AbstractTokenProvider, such as ``package.module.Class``.

        Raises `OptionRefused`: it cannot be imported, or creating an object of it without arguments fails.
        """
        module, _, name = path.rpartition(".")
        try:
            self._provider: Any = getattr(import_module(module), name)()
        except Exception as error:  # any code of the user's
            raise OptionRefused(
                "The class of the Kafka option 'sasl_oauth_token_provider' cannot be used "
                f"({type(error).__name__}). Expected one that can be imported, such as package.module.Class."
            ) from None

    def token(self) -> str:
        """The token for a login. Raises KafkaConnectionError."""
        try:
            return str(self._provider.token())
        except Exception as error:  # any code of the user's
            raise KafkaConnectionError(f"the token provider failed: {type(error).__name__}") from None

    def extensions(self) -> Mapping[str, str]:
        """More values for the brokers."""
        extensions: Mapping[str, str] = getattr(self._provider, "extensions", dict)()
        return extensions
