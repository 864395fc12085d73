"""The proxy on a real network: kernels' flows with it, without it, and in the simulator."""

from thinpipe.acceptance.proxy.paper import PAPER

__all__ = ["PAPER"]
