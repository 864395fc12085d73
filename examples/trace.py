"""Print a Mahimahi trace: 60 s of a radio whose rate wanders between 0.5 and 5 Mbit/s.

Each line is a time in milliseconds at which the link can send 1500 B.
"""

import math

LENGTH_MS = 60_000
PACKET_BITS = 12_000


def rate_bps(time_ms: int) -> float:
    """Return the rate at a time, of two swings with periods of 20 s and 3 s."""
    slow = math.sin(2 * math.pi * time_ms / 20_000)
    quick = math.sin(2 * math.pi * time_ms / 3_000)
    return 2.75e6 + 1.5e6 * slow + 0.75e6 * quick


credit = 0.0
for time_ms in range(1, LENGTH_MS + 1):
    credit += rate_bps(time_ms) / 1000
    while credit >= PACKET_BITS:
        credit -= PACKET_BITS
        print(time_ms)
