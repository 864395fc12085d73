"""Additive increase, multiplicative decrease, in Python: your own congestion control.

    thinpipe run plain-384 --set queue.packets=20 --set tcp.congestion_control=examples/aimd.py:Aimd

or `python examples/aimd.py`, which sets it beside Reno in Rust. docs/controllers.md tells all.
"""

from __future__ import annotations

import thinpipe as tp


class Aimd(tp.CongestionControl):
    """One segment more each round trip, and half of the window at a loss (RFC 5681)."""

    def __init__(self, *, increase: float = 1.0, decrease: float = 0.5) -> None:
        self.increase = increase
        self.decrease = decrease

    def on_ack(self, ack: tp.Ack) -> None:
        """Open the window: in slow start by what was acknowledged, then by 1/cwnd of it."""
        if ack.recovering:
            return
        acked = min(ack.acked, self.mss)
        if self.window < self.ssthresh:
            self.window += acked
        else:
            self.window += self.increase * acked * self.mss / self.window
        self.window = min(self.window, self.limits.maximum_window * self.mss)

    def on_loss(self, loss: tp.Loss) -> None:
        """Close it: to what a loss leaves, or to one segment after a timeout."""
        left = int(self.window / self.mss) * (1 - self.decrease)
        self.ssthresh = max(int(left), 2) * self.mss
        self.window = self.mss if loss.kind == "timeout" else self.ssthresh


def main() -> None:
    """Print what each made of a queue of 20 packets."""
    timid = Aimd(increase=0.5, decrease=0.25)
    for algorithm in ("reno", Aimd, timid):
        run = tp.run("plain-384", {"tcp.congestion_control": algorithm}, queue__packets=20)
        flow = run.flows[0]
        print(f"{flow.variant:<10} {flow.bytes_acked:>10} B, {flow.retransmits} sent again")


if __name__ == "__main__":
    main()
