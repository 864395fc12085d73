"""TCP flow aggregation for GPRS (Chakravorty et al. 2003), and the field it competes in."""

from thinpipe.papers.chakravorty2003.paper import PAPER

__all__ = ["PAPER"]
