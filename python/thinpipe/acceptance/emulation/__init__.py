"""The simulator compared with the emulator: the same transfers, simulated and by the kernel."""

from thinpipe.acceptance.emulation.paper import PAPER

__all__ = ["PAPER"]
