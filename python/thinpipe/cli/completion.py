"""Completion in bash, which divides words at ``=`` and ``:``: ``--set KEY=VALUE``."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from typing import Final

DIVIDERS: Final = ("=", ":")
"""Signs that are words of their own to bash."""


@contextmanager
def words_joined() -> Iterator[None]:
    """Join the words that bash has divided, and answer with the part that it replaces."""
    words = os.environ.get("COMP_WORDS", "").split("\n")
    at = int(os.environ.get("COMP_CWORD", "0"))
    if os.environ.get("_THINPIPE_COMPLETE") != "complete_bash" or not any(
        divider in words[: at + 1] for divider in DIVIDERS
    ):
        yield
        return
    whole = joined(words[: at + 1])
    os.environ.update(COMP_WORDS="\n".join(whole), COMP_CWORD=str(len(whole) - 1))
    stands = "" if whole[-1] == words[at] else whole[-1][: _divided_at(whole[-1])]
    said = StringIO()
    try:
        with redirect_stdout(said):
            yield
    finally:
        lines = said.getvalue().splitlines()
        sys.stdout.writelines(f"{line.removeprefix(stands)}\n" for line in lines)


def joined(words: Sequence[str]) -> list[str]:
    """Return words without divisions at dividers; an empty one is a new word.

    >>> joined(["run", "--set", "queue.kind", "=", "co"])
    ['run', '--set', 'queue.kind=co']
    """
    whole: list[str] = []
    for before, word in zip(["", *words], words, strict=False):
        if whole and word and (before in DIVIDERS or word in DIVIDERS):
            whole[-1] += word
        else:
            whole.append(word)
    return whole


def _divided_at(word: str) -> int:
    """Return the place behind the last divider of a word."""
    return max(word.rfind(divider) for divider in DIVIDERS) + 1
