"""``--set KEY=VALUE``, options for single keys, and errors that name the option."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from thinpipe._core import ScenarioError
from thinpipe.values import refuse_twice


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings from the command line: key-value pairs, and how each was given."""

    pairs: list[tuple[str, str]]
    given: dict[str, str]

    @classmethod
    def of(cls, settings: Iterable[str] | None, **options: str | None) -> Settings:
        """Collect the values of ``--set`` and of options named after their key.

        Raises
        ------
        ScenarioError
            If a value of ``--set`` is not KEY=VALUE, or a key is set twice.
        """
        pairs = [_pair(setting) for setting in settings or ()]
        given = {key: f"--set {key}=" for key, _ in pairs}
        for key, value in options.items():
            if value is not None:
                pairs.append((key, value))
                given[key] = f"--{key} "
        asked = cls(pairs, given)
        with asked.named():
            refuse_twice(pairs)
        return asked

    @contextmanager
    def named(self) -> Iterator[None]:
        """Let errors about a setting begin with its option."""
        try:
            yield
        except ScenarioError as error:
            key, equals, rest = str(error).partition("=")
            if not equals or key not in self.given:
                raise
            raise ScenarioError(self.given[key] + rest) from None


def _pair(setting: str) -> tuple[str, str]:
    key, equals, value = setting.partition("=")
    if not (equals and key.strip()):
        raise ScenarioError(f"--set {setting}: expected KEY=VALUE, as in radio.tbler=5%")
    return key.strip(), value.strip()
