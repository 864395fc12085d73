"""Lo, Heijenk and Niemegeers (2005): TCP Vegas and Reno over UMTS dedicated channels."""

from thinpipe.papers.lo2005.paper import PAPER

__all__ = ["PAPER"]
