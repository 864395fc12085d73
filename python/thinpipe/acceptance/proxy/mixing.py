"""A call, a VPN and DNS beside the flows of a set-up, for kernels and for the simulator."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from thinpipe.testbed import HOST, Bed, BedError, Fetch, Fetched, Listener, Running, vpn
from thinpipe.testbed.dns import PORT as DNS_PORT
from thinpipe.testbed.dns import Ask, Asked
from thinpipe.testbed.media import Hear, Heard, Video, Voice

if TYPE_CHECKING:
    from thinpipe.point import Value

VOICE_PORT, VIDEO_PORT = 5004, 5006
"""RTP's port (RFC 3551 §8), and the next even one."""

TUNNELLED_PORT: Final = 5801
"""Of the server behind the tunnel; TCP's ports of a set-up begin at 5001."""

VOICE, VIDEO, VPN = "voice", "video", "vpn"
"""Groups of flows that stand for them in the simulator."""

URGENT: Final = (VOICE_PORT, DNS_PORT)
"""Ports of those who wait for each packet."""

SEGMENT_BYTES: Final = vpn.MTU + vpn.OVERHEAD - 52
"""Payload of the simulator's segments that stand for the tunnel's: packets are as long."""


@dataclass(frozen=True, slots=True)
class Mix:
    """What goes on beside a download.

    Attributes
    ----------
    codec, interval_ms, payload
        Of the call's voice: as of `[flow.voip]`, and bytes of a packet, RTP's header among them.
    vpn_bytes
        Of a download through the tunnel: more than a run carries.
    video
        The call's video; ``None`` where the link is too thin for one.
    """

    codec: str
    interval_ms: int
    payload: int
    vpn_bytes: int
    video: Video | None

    @property
    def voice(self) -> Voice:
        """The voice at its sender."""
        return Voice(VOICE_PORT, self.payload, self.interval_ms / 1000)

    @property
    def names(self) -> list[str]:
        """The groups that stand for it in the simulator."""
        return [VOICE, VPN] + ([] if self.video is None else [VIDEO])

    def simulated(self, lead_s: float) -> list[tuple[str, Value]]:
        """Return settings of the simulator's flows; its video has one rate, that of its start.

        Questions of DNS are too few to count.
        """
        found: list[tuple[str, Value]] = [
            ("flow.group.voice.application", "voip"),
            ("flow.group.voice.direction", "downlink"),
            ("flow.group.voice.port", VOICE_PORT),
            ("flow.group.voice.start", "0 s"),
            ("flow.group.voice.voip.codec", self.codec),
            ("flow.group.voice.voip.interval", f"{self.interval_ms} ms"),
            ("flow.group.vpn.bytes", f"{self.vpn_bytes} B"),
            ("flow.group.vpn.direction", "downlink"),
            ("flow.group.vpn.encrypted", True),
            ("flow.group.vpn.opened_by", "receiver"),
            ("flow.group.vpn.port", vpn.PORT),
            ("flow.group.vpn.start", f"{lead_s / 2} s"),
            ("flow.group.vpn.tcp.mss", f"{SEGMENT_BYTES} B"),
        ]
        if self.video is not None:
            found += [
                ("flow.group.video.application", "udp"),
                ("flow.group.video.direction", "downlink"),
                ("flow.group.video.port", VIDEO_PORT),
                ("flow.group.video.start", "0 s"),
                ("flow.group.video.udp.payload", f"{self.video.payload} B"),
                ("flow.group.video.udp.rate", f"{self.video.start_bps:.0f} bit/s"),
            ]
        return found


@dataclass(frozen=True, slots=True)
class Mixed:
    """What became of it; `vpn` is the download within the tunnel."""

    voice: Heard
    video: Heard | None
    vpn: Fetched
    dns: Asked


@dataclass(frozen=True, slots=True)
class Mixing:
    """A mix under way in a test bed."""

    voice: Running[Heard]
    video: Running[Heard] | None
    vpn: Running[Fetched]
    dns: Running[Asked]
    senders: tuple[subprocess.Popen[str], ...]

    @property
    def programs(self) -> list[subprocess.Popen[str]]:
        """Its programs."""
        clients = [self.voice.program, self.vpn.program, self.dns.program]
        video = [] if self.video is None else [self.video.program]
        return [*self.senders, *clients, *video]

    def end(self, amount: int) -> Mixed:
        """End all, once what was sent before is there; `amount` bytes were to go by the tunnel.

        Raises
        ------
        BedError
            If one was not under way until then.
        """
        [fetched] = self.vpn.so_far()
        if fetched.error or not 0 < fetched.bytes < amount:
            raise BedError(f"the VPN beside TCP: {fetched.error or f'{fetched.bytes} B came'}")
        for running in (self.voice, self.video, self.dns):  # at once, not one after the other
            if running is not None:
                running.program.terminate()
        [voice] = self.voice.so_far()
        [dns] = self.dns.so_far()
        video = None if self.video is None else self.video.so_far()[0]
        return Mixed(voice, video, fetched, dns)


def serve(made: Bed, mix: Mix, control: str) -> list[subprocess.Popen[str]]:
    """Make the tunnel, and start what sends at the host.

    Raises
    ------
    BedError
        If any of it cannot start.
    """
    senders = vpn.tunnel(made)
    senders += [made.host.send_media(mix.voice), made.host.answer_dns()]
    senders += [] if mix.video is None else [made.host.send_media(mix.video)]
    listener = Listener(TUNNELLED_PORT, bytes=mix.vpn_bytes, control=control)
    return [*senders, made.host.serve([listener], 1).program]


def begin(made: Bed, mix: Mix, senders: list[subprocess.Popen[str]], limit_s: float) -> Mixing:
    """Begin all of it, and return when it has.

    Raises
    ------
    BedError
        If any of it does not begin.
    """
    voice = made.mobile.hear(Hear(HOST[0], VOICE_PORT))
    video = None if mix.video is None else made.mobile.hear(Hear(HOST[0], VIDEO_PORT, reports=True))
    dns = made.mobile.ask_dns(Ask(HOST[0]))
    task = Fetch(
        vpn.HOST_WITHIN, TUNNELLED_PORT, does="drink", bytes=mix.vpn_bytes, limit_s=limit_s
    )
    return Mixing(voice, video, made.mobile.fetch([task]), dns, tuple(senders))
