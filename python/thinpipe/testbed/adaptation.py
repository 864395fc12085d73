"""How a video sender adapts to loss and delay: Google congestion control in outline.

draft-ietf-rmcat-gcc-02, without pacing, probes and the statistics of earlier rates: the receiver
compares how far apart frames are sent and arrive, the sender counts losses, and the lower of both
rates holds. Rates are in bit/s; times in s, but where a name says ms.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Final

LITTLE_LOSS, MUCH_LOSS = 0.02, 0.1
"""Shares of packets lost up to which a rate grows, and from which it falls (§6)."""
GROWTH: Final = 1.05
"""Per report of little loss (§6)."""

STATE_NOISE: Final = 1e-3
FIRST_ERROR: Final = 0.1
"""Of the filter, in ms² (§5.3)."""
NOISE_MEMORY: Final = 0.95
"""Weight of earlier noise in its average."""
LEAST_NOISE: Final = 1.0
"""In ms² (§5.3)."""

FIRST_THRESHOLD_MS: Final = 12.5
LEAST_THRESHOLD_MS, MOST_THRESHOLD_MS = 6.0, 600.0
RISING, FALLING = 0.01, 0.00018
"""By how much a threshold follows a trend above and below it, per ms (§5.4)."""
OUTLIER_MS: Final = 15.0
"""A trend so far above the threshold does not move it (§5.4)."""
LONGEST_STEP_MS: Final = 100.0
OVERUSE_S: Final = 0.01
"""Time for which a trend must be above the threshold (§5.4)."""
MOST_GROUPS: Final = 60
"""A trend counts for the groups so far, up to so many, as browsers have it."""

BACK_OFF: Final = 0.85
"""Of the rate received, after overuse (§5.5)."""
PER_SECOND: Final = 1.08
"""Growth far from the rate at which delays last rose (§5.5)."""
NEAR: Final = 0.15
"""Distance from that rate within which growth is additive."""
PACKET_BITS: Final = 8 * 1200
RESPONSE_S: Final = 0.2
"""Time in which half a packet is added: a report's, and a round trip's (§5.5)."""
HEADROOM: Final = 1.5
"""Most that is allowed, times the rate received (§5.5)."""
WINDOW_S: Final = 1.0
"""Time over which the rate received is measured (§5.5: 0.5 to 1 s)."""


class LossBased:
    """The rate that losses allow, at the sender (§6)."""

    def __init__(self, rate_bps: float) -> None:
        self.rate_bps = rate_bps

    def on_report(self, lost: float) -> float:
        """Return the rate after a report of that share of packets lost."""
        if lost < LITTLE_LOSS:
            self.rate_bps *= GROWTH
        elif lost > MUCH_LOSS:
            self.rate_bps *= 1 - lost / 2
        return self.rate_bps


@dataclass(frozen=True, slots=True)
class Reported:
    """A packet that came: when it was sent and received, and its bytes."""

    sent_s: float
    came_s: float
    bytes: int


class DelayBased:
    """The rate that delays allow, at the receiver (§5). Packets sent at one time are a group."""

    def __init__(self) -> None:
        self._recent: Final = deque[Reported]()
        self._last: Reported | None = None
        self._before: Reported | None = None
        self._trend = Trend()
        self._rate_bps = math.inf
        self._rose_bps = math.inf
        self._grown_s = 0.0

    def on_packet(self, packet: Reported) -> None:
        """Take a packet that came."""
        self._recent.append(packet)
        last = self._last
        if last is not None and packet.sent_s > last.sent_s:
            before, self._before = self._before, last
            if before is not None:
                self._trend.on_group(before, last)
        if last is None or packet.sent_s >= last.sent_s:
            self._last = packet

    def received_bps(self, now_s: float) -> float:
        """Return the rate received over the last second."""
        while self._recent and self._recent[0].came_s <= now_s - WINDOW_S:
            self._recent.popleft()
        return 8 * sum(each.bytes for each in self._recent) / WINDOW_S

    def rate_bps(self, now_s: float) -> float:
        """Return the rate that is allowed now, and begin to look anew."""
        received_bps, since_s = self.received_bps(now_s), min(now_s - self._grown_s, 1.0)
        self._grown_s = now_s
        if self._trend.take_overuse():
            self._rose_bps = received_bps
            self._rate_bps = BACK_OFF * received_bps
        elif self._rate_bps < math.inf and not self._trend.is_falling:
            if abs(received_bps - self._rose_bps) < NEAR * self._rose_bps:
                self._rate_bps += PACKET_BITS / 2 * min(since_s / RESPONSE_S, 1.0)
            else:
                self._rate_bps *= PER_SECOND**since_s
            self._rate_bps = min(self._rate_bps, HEADROOM * received_bps)
        return self._rate_bps


class Trend:
    """Whether groups of packets arrive ever later than they were sent (§5.3, §5.4)."""

    def __init__(self) -> None:
        self._ms, self._error, self._noise, self._groups = 0.0, FIRST_ERROR, LEAST_NOISE, 0
        self._threshold_ms = FIRST_THRESHOLD_MS
        self._over_s, self._overused = 0.0, False

    @property
    def is_falling(self) -> bool:
        """Whether queues drain: a rate does not grow meanwhile."""
        return self._counted_ms < -self._threshold_ms

    @property
    def _counted_ms(self) -> float:
        return self._ms * min(self._groups, MOST_GROUPS)

    def take_overuse(self) -> bool:
        """Return whether queues have grown since this was last asked."""
        overused, self._overused = self._overused, False
        return overused

    def on_group(self, before: Reported, group: Reported) -> None:
        """Compare the last packets of two groups."""
        apart_s = group.came_s - before.came_s
        variation_ms = 1000 * (apart_s - (group.sent_s - before.sent_s))
        was_ms = self._ms
        self._filter(variation_ms)
        self._groups += 1
        if self._counted_ms > self._threshold_ms:
            self._over_s += apart_s
            self._overused |= self._over_s > OVERUSE_S and self._ms >= was_ms
        else:
            self._over_s = 0.0
        self._adapt(1000 * apart_s)

    def _filter(self, variation_ms: float) -> None:
        """Follow the variation with a Kalman filter of one state."""
        residual = variation_ms - self._ms
        bounded = max(-1.0, min(residual / (3 * math.sqrt(self._noise)), 1.0))
        seen = (bounded * 3 * math.sqrt(self._noise)) ** 2
        self._noise = NOISE_MEMORY * self._noise + (1 - NOISE_MEMORY) * seen
        self._noise = max(LEAST_NOISE, self._noise)
        gain = (self._error + STATE_NOISE) / (self._noise + self._error + STATE_NOISE)
        self._ms += gain * residual
        self._error = (1 - gain) * (self._error + STATE_NOISE)

    def _adapt(self, step_ms: float) -> None:
        """Move the threshold towards the trend, so that TCP beside does not starve the stream."""
        above_ms = abs(self._counted_ms) - self._threshold_ms
        if above_ms > OUTLIER_MS:
            return
        pull = RISING if above_ms > 0 else FALLING
        self._threshold_ms += min(step_ms, LONGEST_STEP_MS) * pull * above_ms
        self._threshold_ms = max(LEAST_THRESHOLD_MS, min(self._threshold_ms, MOST_THRESHOLD_MS))
