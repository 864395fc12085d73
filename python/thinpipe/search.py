"""Names found by the words of a user: by their beginning, a part, or the words of their meaning."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

ENDING: Final = re.compile(r"(?<=\w{3})(ness|ing|es|ed|(?<!s)s)$")
"""What is left out of a word if it is not found as it stands: ``walking``, ``fairness``."""


def matching(word: str, meanings: Mapping[str, str]) -> list[str]:
    """Return the names that begin with a word or phrase, have it elsewhere, or mean it.

    They are in this order. With a dot it is of a name, and one of these groups is enough.
    """
    found = named(word, meanings)
    if found and "." in word:
        return found
    return [*dict.fromkeys([*found, *meant(word, meanings)])]


def named(word: str, names: Iterable[str]) -> list[str]:
    """Return the names that begin with a text, then those that have it elsewhere.

    Of a text with a dot, which is of a name, those are left out if there are any of these.
    """
    text, known = word.lower(), list(names)
    begin = [name for name in known if name.lower().startswith(text)]
    if begin and "." in text:
        return begin
    return [*begin, *(name for name in known if text in name.lower() and name not in begin)]


def meant(phrase: str, meanings: Mapping[str, str]) -> list[str]:
    """Return the names that have all words of a phrase in name or meaning, in any order.

    If none has, the endings of the words do not count.
    """
    words = phrase.lower().split()
    return _having(words, meanings) or _having([ENDING.sub("", each) for each in words], meanings)


def _having(words: Iterable[str], meanings: Mapping[str, str]) -> list[str]:
    """Return the names in which, or in whose meaning, a word begins with each of `words`."""
    looks = [re.compile(rf"(?<![^\W_]){re.escape(word)}") for word in words]
    texts = {name: f"{name} {meaning}".lower() for name, meaning in meanings.items()}
    return [name for name, text in texts.items() if all(look.search(text) for look in looks)]
