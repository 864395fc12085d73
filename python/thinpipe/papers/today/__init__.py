"""The old questions of which TCP for which pipe, asked of today's networks."""

from thinpipe.papers.today.paper import PAPER

__all__ = ["PAPER"]
