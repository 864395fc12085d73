"""The proxy on a real network: flows of kernels with it, without it, and simulated."""

from thinpipe.acceptance.proxy.paper import PAPER

__all__ = ["PAPER"]
