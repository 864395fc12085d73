"""Chapter VI of the thesis: TCP over UMTS at constant and at changing rates and error rates."""

from typing import Final

from thinpipe.papers.hynderick2004.chapter6.items import ITEMS, MEASURES
from thinpipe.papers.hynderick2004.chapter6.stated import FACTS

__all__ = ["FACTS", "ITEMS", "MEASURES", "TEXT"]

TEXT: Final = (
    "Chapter VI sends a file to a mobile over a UMTS dedicated channel, in the scenario "
    "umts-thesis. Numbers that the thesis states are held to 10 %, as each is one run of a module "
    "that is not at hand; a tighter band says why. Its words have the meanings of docs/facts.md. "
    "Rates count from the SYN. Ours have five seeds where chance plays a part, and five or twenty "
    "moments of a jump where none does.",
    "The link control is a fit to this chapter's own numbers (docs/models/umts-rlc-next-expected.md"
    "): where they hold, that is agreement of many with few parameters, not a prediction.",
)
"""What the report says of the chapter."""
