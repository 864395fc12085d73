"""Names found by the words of a user: by their beginning, a part, or the words of their meaning."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Final

PLACEHOLDERS: Final = {"NAME": re.compile(r".+"), "N": re.compile(r"\d+")}
"""What stands in a name for that of a member of a list, or for its number; any will do."""

ENDING: Final = re.compile(r"(?<=\w{3})(ness|ing|es|ed|(?<!s)s)$")
"""What is left out of a word if it is not found as it stands: ``walking``, ``fairness``."""


def matching(word: str, meanings: Mapping[str, str]) -> list[str]:
    """Return the names that begin with a word or phrase, then others with it, then what means it.

    A word with a dot is a part of a name, and so the first of these groups is all.
    """
    groups = (
        [name for name in meanings if begins(word, name)],
        [name for name in meanings if is_part(word, name)],
        meant(word, meanings),
    )
    if "." in word:
        return next(filter(None, groups), [])
    return [*dict.fromkeys(chain(*groups))]


def begins(word: str, name: str) -> bool:
    """Return whether a name begins with a word, whatever the case; of a member's any name will do.

    >>> begins("flow.group.bbr.del", "flow.group.NAME.delay"), begins("tcp.rto", "tcp.mss")
    (True, False)
    """
    if name.lower().startswith(word.lower()):
        return True
    *whole, last = word.split(".")
    parts = name.split(".")
    if not 0 < len(whole) < len(parts) or not all(map(_is, whole, parts)):
        return False
    own = parts[len(whole)]
    return _is(last, own) or (own not in PLACEHOLDERS and own.startswith(last.lower()))


def _is(word: str, part: str) -> bool:
    """Return whether a word is what stands between two dots of a name."""
    place = PLACEHOLDERS.get(part)
    return word.lower() == part.lower() if place is None else place.fullmatch(word) is not None


def is_part(word: str, name: str) -> bool:
    """Return whether a name has a word in it, whatever the case."""
    return word.lower() in name.lower() or begins(word, name)


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
