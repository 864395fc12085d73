"""Sources of named pipes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """A source of figures.

    Attributes
    ----------
    key
        The word before the colon in names of its pipes, or empty: its pipes have plain names.
    name
        Its name.
    document
        Where the figures stand.
    read
        The month in which they were read there.
    applied
        What the source's own tool does with them.
    is_second_hand
        Whether the figures come from others who quote the source.
    """

    key: str
    name: str
    document: str
    read: str
    applied: str
    is_second_hand: bool = False
