"""What receivers of calls hear, as typed records.

Names carry their units: ``_s`` seconds, ``_bps`` bit/s, ``_segments`` segments. A figure that does
not apply is ``None``. `scripts/records.py` writes this file from the summaries of the compiled
module, where each figure has its meaning.
"""

from __future__ import annotations

from dataclasses import dataclass

from thinpipe.record import Record


@dataclass(frozen=True, slots=True)
class Call(Record):
    """A call in one direction, as its receiver hears it (ITU-T G.107).

    What the de-jitter buffer was to play by the end of the run counts.
    """

    r_factor: float | None
    """Transmission rating factor R, from 0 to 100; 0 also where it would be below, or nothing was
    heard.

    ``None`` if nothing was to be played yet.
    """
    mos: float | None
    """Mean opinion score of a conversation, from 1 to 4.5, by R."""
    mouth_to_ear_s: float | None
    """One way from mouth to ear: voice of a packet, look-ahead, network and de-jitter buffer."""
    playout_delay_s: float | None
    """From the departure of a frame until it is played: network and de-jitter buffer."""
    played: int
    """Frames played."""
    late: int
    """Frames that came after they were to be played."""
    lost: int
    """Frames that the network dropped."""
    pending: int
    """Frames sent that were not to be played by the end of the run."""
    late_share: float | None
    """Late frames over those that were to be played."""
    lost_share: float | None
    """Lost frames over those that were to be played."""
    burst_ratio: float | None
    """Mean length of runs of late and lost frames over what it is where each is missing by itself
    (``BurstR``); ``None`` if none is missing."""
