"""Vegas with equation 2 to the letter: the window grows by 1/CWND once a round trip."""

from __future__ import annotations

from typing import Final

from thinpipe._core import Ack, Loss
from thinpipe.controller import CongestionControl
from thinpipe.papers.yew2012.arithmetic import FIRST_WINDOW

ALPHA: Final = 1
BETA: Final = 3
"""Segments, as ns-2 has them."""


class Letter(CongestionControl):
    """Congestion avoidance by equation 2, from the first window on, for paths without loss."""

    def on_start(self) -> None:
        """Begin with no round trip known."""
        self.window, self.ssthresh = FIRST_WINDOW * self.mss, 2.0 * self.mss
        self.base_s, self.mark = float("inf"), 0
        self.sum_s, self.samples = 0.0, 0

    def on_ack(self, ack: Ack) -> None:
        """Change the window at the end of a round trip."""
        if ack.una > self.mark:
            if self.samples:
                self._end_round(self.sum_s / self.samples)
            self.mark, self.sum_s, self.samples = ack.nxt, 0.0, 0
        if ack.rtt_s is not None:
            self.base_s = min(self.base_s, ack.rtt_s)
            self.sum_s, self.samples = self.sum_s + ack.rtt_s, self.samples + 1

    def _end_round(self, rtt_s: float) -> None:
        cwnd = self.window / self.mss
        delta = round(cwnd * (1 - self.base_s / rtt_s))
        if delta < ALPHA:
            self.window += self.mss / cwnd
        elif delta > BETA:
            self.window = max(self.window - self.mss, self.ssthresh)

    def on_loss(self, loss: Loss) -> None:
        """Leave three quarters of the window, or two segments after a timeout."""
        left = self.ssthresh if loss.kind == "timeout" else self.window * 3 / 4
        self.window = max(left, self.ssthresh)
