"""Hynderick and Raes (2004): how each TCP recovers from losses, and the formulas behind it."""

from thinpipe.papers.hynderick2004.paper import PAPER

__all__ = ["PAPER"]
