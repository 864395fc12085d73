"""Chapter VI of the thesis: TCP over UMTS at constant and at changing rates and error rates."""

from typing import Final

from thinpipe.papers.hynderick2004.chapter6.items import ITEMS, MEASURES
from thinpipe.papers.hynderick2004.chapter6.stated import FACTS

__all__ = ["FACTS", "ITEMS", "MEASURES", "TEXT"]

TEXT: Final = (
    "Chapter VI sends a file to a mobile over a UMTS dedicated channel, in the scenario "
    "umts-thesis. Numbers that the thesis states are held to 10 %; its words were turned into "
    "bands before the first run of what they speak of, and a fact whose way of measuring changed "
    "after one says so. Most of its runs are single ones; ours have five seeds where "
    "chance plays a part, and five moments of a jump where none does.",
    "What the thesis says against itself is stated, and not claimed.",
)
"""What the report says of the chapter."""
