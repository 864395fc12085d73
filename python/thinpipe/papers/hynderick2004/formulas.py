"""Formulas for windows and losses: the thesis's chapter IV, Mathis and PFTK.

Windows are packets, probabilities are per packet unless a name says otherwise, times are seconds.
"""

from __future__ import annotations

import math
from typing import Final

MATHIS_CONSTANT: Final = math.sqrt(3 / 2)
"""For an acknowledgement per packet and periodic losses (Mathis et al. 1997, §2, table 1)."""

BACK_OFF: Final = (1, 1, 2, 4, 8, 16, 32)
"""Coefficients of PFTK's f(p): each timeout of a series lasts twice the one before, up to 64 T0."""


def tahoe_factor(loss: float, window: float) -> float:
    """Return Tahoe's throughput under a loss probability, as a share (thesis IV.C).

    From Jacobson 1988: 1 / (1 + 2PW). A loss empties the window and slow start has to fill it
    again; the throughput without loss is 1.
    """
    return 1 / (1 + 2 * loss * window)


def tahoe_factor_of_bits(bit_loss: float, packet_bits: float, window: float) -> float:
    """Return the same for a loss probability per bit (thesis IV.C): 1 / (1 + 2PSW)."""
    return tahoe_factor(bit_loss * packet_bits, window)


def lacking(window: int) -> int:
    """Return the packets that Tahoe does not send until its window is whole again after a loss.

    Ours, not the thesis's: the packet retransmitted alone, slow start up to half of the window, one
    packet more each round trip from there.

    >>> lacking(16)
    77
    """
    packets, opened = 0, 1
    while opened < window:
        packets += window - opened
        opened = min(2 * opened, window // 2) if opened < window // 2 else opened + 1
    return packets


def tahoe_factor_by_rounds(loss: float, window: int) -> float:
    """Return Tahoe's factor if a loss costs `lacking` packets where Jacobson counts 2W."""
    return 1 / (1 + loss * lacking(window))


def loss_of_packet(bit_loss: float, packet_bits: float) -> float:
    """Return the probability that at least one bit of a packet is lost: 1 − (1 − P)^S.

    The thesis takes PS for it, which is its value for small P.
    """
    return -math.expm1(packet_bits * math.log1p(-bit_loss))


def slow_start_round_trips(window: float) -> float:
    """Return how long slow start takes to open a window, in round trips: log2 W (thesis IV.B)."""
    return math.log2(window)


def slow_start_buffer(window: float) -> float:
    """Return the packets of buffer that opening a window takes at most: W / 2 (thesis IV.B)."""
    return window / 2


def mathis(loss: float) -> float:
    """Return packets sent a round trip: sqrt(3/2) / sqrt(p) (Mathis et al. 1997).

    Of congestion avoidance alone: neither timeouts nor a bound of the window.
    """
    return MATHIS_CONSTANT / math.sqrt(loss)


def pftk(loss: float, rtt_s: float, timeout_s: float, window: float, acked: int = 1) -> float:
    """Return packets sent a second by Reno (Padhye, Firoiu, Towsley and Kurose 2000, full model).

    Parameters
    ----------
    loss
        The probability that a packet is lost, given that its predecessor of the same round was not.
    timeout_s
        The first timeout of a series, T0.
    window
        The largest window that the receiver allows, W_m.
    acked
        Packets that an acknowledgement stands for, b.
    """
    kept = (1 - loss) / loss
    free = _pftk_window(loss, acked)
    reached = min(free, window)
    again = _pftk_timeout_share(loss, reached)
    series_s = again * timeout_s * _pftk_series(loss) / (1 - loss)
    rounds = acked / 2 * free + 1 if free < window else acked / 8 * window + kept / window + 2
    return (kept + reached + again / (1 - loss)) / (rtt_s * rounds + series_s)


def _pftk_window(loss: float, acked: int) -> float:
    """Return the mean window when a loss is noticed, without a bound: PFTK's E[W_u]."""
    half = (2 + acked) / (3 * acked)
    return half + math.sqrt(8 * (1 - loss) / (3 * acked * loss) + half * half)


def _pftk_timeout_share(loss: float, window: float) -> float:
    """Return the probability that a loss in this window causes a timeout: PFTK's Q."""
    through: float = (1 - loss) ** 3
    if window <= 3:  # noqa: PLR2004 - too few for three duplicate acknowledgements
        return 1.0
    some = 1 + through * (1 - math.pow(1 - loss, window - 3))
    return min(1.0, (1 - through) * some / (1 - math.pow(1 - loss, window)))


def _pftk_series(loss: float) -> float:
    """Return the mean length of a series of timeouts over T0, times 1 − p: PFTK's f(p)."""
    return math.fsum(share * loss**power for power, share in enumerate(BACK_OFF))
