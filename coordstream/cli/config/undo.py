"""How to take back a change of a config key, without showing a secret."""

import shlex
from typing import Final, NamedTuple

from eventlog.secrets.secret_policy import SecretPolicy

LONGEST_VALUE: Final = 1_000


class Undo(NamedTuple):
    """A config key of a job, as a user names both, and what counts as a secret."""

    job: str
    key: str
    secrets: SecretPolicy

    def is_secret(self, value: str | None) -> bool:
        """Whether the key's name, or the value itself, says that it is a secret."""
        return value is not None and (self.secrets.is_secret_name(self.key) or self.secrets.holds_secret(value))

    def shown(self, value: str | None) -> str | None:
        """The value, or its fingerprint where it is a secret, as the relation `config` shows it."""
        return self.secrets.fingerprint(value) if value is not None and self.is_secret(value) else value

    def sentence(self, old: str | None, *, is_forced: bool) -> str:
        """The command that gives the key its old value back (None: it had none), or what to do instead of one."""
        options = ("--force",) if is_forced else ()
        if old is None:
            return f"To take this back: {self._command('delete', options)}"
        if self.is_secret(old):
            return f"The old value is a secret, which is not shown. {self._from_input(options)}"
        if old == "-" or not old.isprintable() or len(old) > LONGEST_VALUE:
            history = shlex.join(["coordstream", "config", "history", self.job, "--key", self.key, "--json"])
            return f"The old value is not one line that can be typed; `{history}` shows it. {self._from_input(options)}"
        return f"To take this back: {self._command('set', options, old)}"

    def _from_input(self, options: tuple[str, ...]) -> str:
        return f"To take this back, give it on standard input: {self._command('set', options, '-')} < FILE"

    def _command(self, verb: str, options: tuple[str, ...], *value: str) -> str:
        given = [self.key, *value]
        dashes = ["--"] if any(word.startswith("-") and word != "-" for word in given) else []
        return shlex.join(["coordstream", "config", verb, *options, *dashes, self.job, *given])
