"""Plots of runs, drawn with matplotlib."""

from thinpipe.plot.plots import Plots
from thinpipe.plot.style import COLORS, style

__all__ = ["COLORS", "Plots", "style"]
