"""Config values as users may see them, a fingerprint in place of each secret, and how to undo a change of one."""

import shlex
from collections.abc import Iterable
from typing import Final, NamedTuple

from eventlog.secret_policy import SecretPolicy
from managers.errors import SettingChange

LONGEST_VALUE: Final = 1_000


def is_secret(secrets: SecretPolicy, key: str, value: str | None) -> bool:
    """Whether the value is a secret, by the name of the key or by the value itself."""
    return value is not None and (secrets.is_secret_name(key) or secrets.holds_secret(value))


def shown(secrets: SecretPolicy, key: str, value: str | None) -> str | None:
    """The value, or its fingerprint if it is a secret, as in the relation ``config``."""
    return secrets.fingerprint(value) if value is not None and is_secret(secrets, key, value) else value


def masked_changes(secrets: SecretPolicy, changes: Iterable[SettingChange]) -> list[SettingChange]:
    """The changes with fingerprints in place of secrets, for an error."""
    return [SettingChange(key, shown(secrets, key, old), shown(secrets, key, new)) for key, old, new in changes]


class Undo(NamedTuple):
    """A config key of a job, both as the user typed them, and what counts as a secret."""

    job: str
    key: str
    secrets: SecretPolicy

    def is_secret(self, value: str | None) -> bool:
        """Whether the value is a secret, by the name of the key or by the value itself."""
        return is_secret(self.secrets, self.key, value)

    def shown(self, value: str | None) -> str | None:
        """The value, or its fingerprint if it is a secret, as in the relation ``config``."""
        return shown(self.secrets, self.key, value)

    def sentence(self, old: str | None, *, is_forced: bool) -> str:
        """The command that restores the old value (None: there was none), or what to do instead."""
        options = ("--force",) if is_forced else ()
        if old is None:
            return f"To undo: {self._command('delete', options)}"
        if self.is_secret(old):
            return f"The old value is a secret and is not shown. {self._from_input(options)}"
        if old == "-" or not old.isprintable() or len(old) > LONGEST_VALUE:
            history = shlex.join(["coordstream", "config", "history", self.job, "--key", self.key, "--json"])
            hidden = f"The old value is too long to show, or has special characters; `{history}` prints it."
            return f"{hidden} {self._from_input(options)}"
        return f"To undo: {self._command('set', options, old)}"

    def _from_input(self, options: tuple[str, ...]) -> str:
        return f"To undo, use a file with the old value: {self._command('set', options, '-')} < FILE"

    def _command(self, verb: str, options: tuple[str, ...], *value: str) -> str:
        given = [self.key, *value]
        dashes = ["--"] if any(word.startswith("-") and word != "-" for word in given) else []
        return shlex.join(["coordstream", "config", verb, *options, *dashes, self.job, *given])
