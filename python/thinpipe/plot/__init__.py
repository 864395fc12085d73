"""Plots of runs, drawn with matplotlib.

`plots` has what a user calls, `kinds` the list of the kinds, `curves` what several runs and flows
share. Most kinds have a module of their name.
"""

from thinpipe.plot.style import COLORS, style

__all__ = ["COLORS", "style"]
