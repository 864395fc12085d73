"""Chapter VI of the thesis: TCP over UMTS at constant and at changing rates and error rates."""

from typing import Final

from thinpipe.papers.hynderick2004.chapter6.items import ITEMS, MEASURES
from thinpipe.papers.hynderick2004.chapter6.stated import FACTS

__all__ = ["FACTS", "ITEMS", "MEASURES", "TEXT"]

TEXT: Final = (
    "Chapter VI sends a file to a mobile over a UMTS dedicated channel, in the scenario "
    "umts-thesis. Numbers that the thesis states have a band of 10 %, because each is one run of "
    "a module that is not available; a tighter band says why. Its words have the meanings of "
    "docs/facts.md. Rates count from the SYN, those of Table VI.3 from when the connection is "
    "established. Ours have five seeds if the run is random, and five or twenty moments of a jump "
    "if it is not.",
    "The link control is a fit to this chapter's own numbers "
    "(docs/models/umts-rlc-next-expected.md): if they hold, many numbers agree with few "
    "parameters, which is not a prediction.",
)
"""The report's text about the chapter."""
