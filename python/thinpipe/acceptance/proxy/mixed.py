"""The measures of a mix beside TCP: a call, a VPN and DNS while TCP is under way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.acceptance.proxy.check import error as of_simulated
from thinpipe.acceptance.proxy.check import from_syn, last_s, of, ping_s, share_beside
from thinpipe.acceptance.proxy.experiments import MIXES
from thinpipe.acceptance.proxy.mixing import VOICE, Mixed
from thinpipe.calls import rate_call
from thinpipe.papers.series import Steps

if TYPE_CHECKING:
    from thinpipe.acceptance.proxy.check import Measure
    from thinpipe.acceptance.proxy.collect import Compared
    from thinpipe.call_result import Call
    from thinpipe.papers.paper import Outcomes
    from thinpipe.testbed.media import Heard

SLOW: Final = 0.95
"""The quantile of delays that is shown."""

LATE_S: Final = 0.4
"""One-way delay beyond which voice is of no use (ITU-T G.114 §4)."""


@dataclass(frozen=True, slots=True)
class Stream:
    """Packets of voice or video that were sent while TCP was under way.

    Attributes
    ----------
    sent_s
        When each was sent, from TCP's SYN on.
    delays_s
        What each took; ``None`` if it was lost.
    bps
        Payload that came, over that time.
    """

    sent_s: tuple[float, ...]
    delays_s: tuple[float | None, ...]
    bps: float

    @property
    def sent(self) -> list[tuple[float, float | None]]:
        """When each was sent, and what it took."""
        return list(zip(self.sent_s, self.delays_s, strict=True))

    @property
    def came_s(self) -> list[float]:
        """The delays of those that came."""
        return [each for each in self.delays_s if each is not None]

    @property
    def slow_s(self) -> float:
        """The delay that 95 % of those that came do not exceed."""
        return float(np.quantile(self.came_s, SLOW)) if self.came_s else float("inf")

    @property
    def lost(self) -> float:
        """The share of packets lost, in per cent."""
        return 100 * (1 - len(self.came_s) / len(self.delays_s))

    @property
    def late(self) -> float:
        """The share of packets that came late, in per cent."""
        return 100 * sum(each > LATE_S for each in self.came_s) / len(self.delays_s)


def what_was_beside(each: Compared) -> Mixed:
    """Return the mix of a run that has one."""
    assert each.carried.mixed is not None
    return each.carried.mixed


def stream(each: Compared, heard: Heard, interval_s: float | None = None) -> Stream:
    """Return the part of a stream that TCP was beside.

    Packets that did not come were sent an `interval_s` apart, or when the last before them was.
    """
    assert heard.opened_s is not None
    start_s = each.carried.flows[0].opened_s - heard.opened_s
    end_s = start_s + each.live[0].last_s
    came = {number: (sent_s, delay_s) for number, sent_s, delay_s, _ in heard.packets}
    sent: list[float] = []
    delays: list[float | None] = []
    last_s = 0.0
    for number in range(max(came) + 1):
        missing_s = last_s if interval_s is None else number * interval_s
        at_s, delay_s = came.get(number, (missing_s, None))
        last_s = at_s
        if start_s <= at_s <= end_s:
            sent.append(at_s - start_s)
            delays.append(delay_s)
    payload = sum(size for _, at_s, _, size in heard.packets if start_s <= at_s <= end_s)
    return Stream(tuple(sent), tuple(delays), 8 * payload / (end_s - start_s))


def voice(each: Compared) -> Stream:
    """Return the voice of a run."""
    assert each.setup.mix is not None
    return stream(each, what_was_beside(each).voice, each.setup.mix.interval_ms / 1000)


def video(each: Compared) -> Stream | None:
    """Return the video of a run, if it has one."""
    heard = what_was_beside(each).video
    return None if heard is None else stream(each, heard)


def call(each: Compared) -> Call:
    """Rate the voice of a run by the E-model."""
    return rate_call(each.setup.point, VOICE, voice(each).delays_s)


def vpn_curve(each: Compared) -> Steps:
    """Return the bytes that the mobile has of the VPN's download, from TCP's SYN on."""
    return from_syn(each, what_was_beside(each).vpn)


def share(each: Compared) -> float:
    """Return TCP's share of what it and the VPN's download got meanwhile, in per cent."""
    return share_beside(each, vpn_curve(each))


def stream_curve(each: Compared, heard: Heard) -> Steps:
    """Return the bytes that the mobile has of a stream, from TCP's SYN on."""
    assert heard.opened_s is not None
    ahead_s = each.carried.flows[0].opened_s - heard.opened_s
    came = sorted((at_s + delay_s, size) for _, at_s, delay_s, size in heard.packets)
    times_s = np.array([at_s for at_s, _ in came]) - ahead_s
    return Steps(times_s, np.cumsum([float(size) for _, size in came]), float(times_s[-1]))


def answers(each: Compared) -> list[tuple[float, float]]:
    """Return when questions of DNS were asked while TCP was under way, and what answers took, in s.

    Times count from TCP's SYN.
    """
    opened_s = each.carried.flows[0].opened_s
    return [
        (at_s - opened_s, took_s)
        for at_s, took_s in what_was_beside(each).dns.questions
        if took_s is not None and 0 <= at_s - opened_s <= each.live[0].last_s
    ]


def answers_s(each: Compared) -> list[float]:
    """Return what these answers took, in s."""
    return [took_s for _, took_s in answers(each)]


def unanswered(each: Compared) -> int:
    """Count the questions without an answer."""
    return sum(took_s is None for _, took_s in what_was_beside(each).dns.questions)


def name(link: str, treated: str) -> str:
    """Return the name of a set-up."""
    return f"mix-{link}-{treated}"


def measured(value: Callable[[Compared], float]) -> Callable[[str, str], Measure]:
    """Return what measures a value of a link's run."""
    return lambda link, treated: lambda outcomes: [value(of(outcomes, name(link, treated)))]


def mos(each: Compared) -> float:
    """Return the mean opinion score of a call."""
    return call(each).mos or 1.0


def simulated_mos(each: Compared) -> float:
    """Return the same of the simulated call."""
    return rate_call(each.setup.point, VOICE, each.simulated_voice).mos or 1.0


def pings(link: str, treated: str) -> Measure:
    """Measure the mean ping, as a multiple of that beside TCP alone behind the proxy."""

    def multiple(outcomes: Outcomes) -> Sequence[float]:
        found = (of(outcomes, name(link, each)) for each in (treated, "alone"))
        beside, alone = map(ping_s, found)
        return [beside / alone]

    return multiple


def times(link: str, treated: str) -> Measure:
    """Measure TCP's time, as a multiple of that without a proxy."""

    def longer(outcomes: Outcomes) -> Sequence[float]:
        found = (of(outcomes, name(link, each)).live[0] for each in (treated, "none"))
        boxed, without = map(last_s, found)
        return [boxed / without]

    return longer


def error(link: str, treated: str) -> Measure:
    """Measure TCP's time over that in the simulator, in per cent."""
    return of_simulated(last_s, [name(link, treated)])


def questions(link: str, treated: str) -> Measure:
    """Measure the mean answer to DNS, as a multiple of a ping beside TCP alone."""

    def multiple(outcomes: Outcomes) -> Sequence[float]:
        alone = ping_s(of(outcomes, name(link, "alone")))
        return [fmean(answers_s(of(outcomes, name(link, treated)))) / alone]

    return multiple


VALUES: Final[dict[str, Callable[[str, str], Measure]]] = {
    "share": measured(share),
    "time": times,
    "ping": pings,
    "dns": questions,
    "mos": measured(mos),
    "sim": error,
}

RUNS: Final = {"mos": ("none", "around", "scheduled", "urgent"), "sim": ("scheduled",)}
BOXED: Final = ("around", "scheduled", "urgent")
"""The runs of which a value is measured: those of `RUNS`, or these."""

MEASURES: Final[dict[str, Measure]] = {
    f"mix-{link}-{what}-{treated}": measure(link, treated)
    for link in MIXES
    for what, measure in VALUES.items()
    for treated in RUNS.get(what, BOXED)
}
