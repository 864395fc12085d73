"""TCP Vegas with packet spacing over wireless IPv6 (Yew, Ong and Ahmad 2012)."""

from thinpipe.papers.yew2012.paper import PAPER, over

__all__ = ["PAPER", "over"]
