"""Named pipes: bad networks as other tools name them, and plain names of our own.

Each file of `sources` holds the figures of one source; `pipe.py` turns them into a scenario by one
rule.
"""

from __future__ import annotations

from thinpipe.named_pipes.library import LeftOut, left_out, pipes, radio_of
from thinpipe.named_pipes.pipe import RULE, Pipe, Way
from thinpipe.named_pipes.source import Source

__all__ = ["RULE", "LeftOut", "Pipe", "Source", "Way", "left_out", "pipes", "radio_of"]
