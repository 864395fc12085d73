"""The simulator beside the emulator: the same transfers, simulated and carried by real TCP."""

from thinpipe.acceptance.emulation.paper import PAPER

__all__ = ["PAPER"]
