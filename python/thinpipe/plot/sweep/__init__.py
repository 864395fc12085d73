"""Pictures of many runs: a sweep's, or those of `thinpipe.frame`."""

from thinpipe.plot.sweep.choice import KINDS, Choice
from thinpipe.plot.sweep.looks import line_looks
from thinpipe.plot.sweep.plots import SweepPlots, draw, heading

__all__ = ["KINDS", "Choice", "SweepPlots", "draw", "heading", "line_looks"]
