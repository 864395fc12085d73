"""What an engineer can do about it, in words, with the numbers of the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thinpipe.papers.today import experiments
from thinpipe.papers.today.figures import delay_text, over_seeds, rate_text
from thinpipe.papers.today.measures import (
    MEASURES,
    goodput,
    ping_p95,
    tail_share,
    transfer_time,
)
from thinpipe.papers.today.setup import SEEDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from thinpipe.papers.paper import Outcomes


def advice(outcomes: Outcomes) -> Sequence[str]:
    """Return the paragraphs below the map."""

    def rate(scenario: str, name: str) -> str:
        return rate_text(over_seeds(outcomes, scenario, name, goodput).mean)

    def delay(scenario: str, name: str) -> str:
        return delay_text(over_seeds(outcomes, scenario, name, ping_p95).mean)

    return (
        "LTE: link control hides what the radio loses, so the variant decides the delay and not "
        f"the rate. Over category 1 CUBIC carries {rate('lte-cat1', 'cubic')} with "
        f"{delay('lte-cat1', 'cubic')} of delay, BBR {rate('lte-cat1', 'bbr')} with "
        f"{delay('lte-cat1', 'bbr')}. Where the senders are not yours, a window in front of the "
        f"radio does the same: atcp {rate('lte-cat1', 'atcp')} with {delay('lte-cat1', 'atcp')}.",
        "Keep Vegas away from HARQ at high rates: grants and repeats raise the RTT as a queue "
        f"would, and it backs off to {rate('lte-cat4', 'vegas')} over category 4. LTE-M is the "
        f"exception: its window is a few segments. Vegas carries {rate('lte-m', 'vegas')} with "
        f"{delay('lte-m', 'vegas')}, CUBIC {rate('lte-m', 'cubic')} with "
        f"{delay('lte-m', 'cubic')}.",
        "NB-IoT: every variant fills the pipe; what keeps it usable is a short queue. At coverage "
        f"level 2 a datagram waits {delay('nb-iot-2', 'cubic')} behind CUBIC, "
        f"{delay('nb-iot-2', 'vegas')} behind Vegas and {delay('nb-iot-2', 'atcp')} behind atcp. "
        "A first time-out of 1 s is spurious there, and whatever repeats from nearby by its own "
        f"clock repeats in vain: snoop carries {rate('nb-iot-2', 'snoop')}, CUBIC alone "
        f"{rate('nb-iot-2', 'cubic')}.",
        "NR at millimetre waves: what was queued for the rate before a blockage waits for the rate "
        "of the blockage. CUBIC has "
        f"{delay('nr-mmwave-blockage', 'cubic')} of delay, BBR "
        f"{delay('nr-mmwave-blockage', 'bbr')}; a window that follows the reports of the base "
        f"station {delay('nr-mmwave-blockage', 'atcp')}. They carry "
        f"{rate('nr-mmwave-blockage', 'cubic')}, {rate('nr-mmwave-blockage', 'bbr')} and "
        f"{rate('nr-mmwave-blockage', 'atcp')}. CoDel keeps the delay too and pays with rate, "
        "since a drop of a moment cuts a window of a thousand segments.",
        "Low orbits lose one or two packets of a hundred without congestion, and whoever takes "
        "that for congestion leaves them empty: of 50 Mbit/s CUBIC carries "
        f"{rate('leo-15s', 'cubic')}, Reno {rate('leo-15s', 'reno')}, and Vegas, which trusts its "
        f"shortest RTT as well, {rate('leo-15s', 'vegas')}. BBR carries "
        f"{rate('leo-15s', 'bbr')} with {delay('leo-15s', 'bbr')} of delay. The changes every 15 s "
        "cost CUBIC next to nothing, since their losses come in one burst, and Vegas a third.",
        "High orbits that lose: no sender alone fills them. Over 12 Mbit/s CUBIC carries "
        f"{rate('geo-12-3-lossy', 'cubic')}, BBR {rate('geo-12-3-lossy', 'bbr')}; a middlebox "
        "whose window is the bandwidth-delay product and does not shrink at a loss, "
        f"{rate('geo-12-3-lossy', 'atcp')}. Splitting alone does not help "
        f"({rate('geo-12-3-lossy', 'split')}): the same congestion control meets the same losses.",
        "A fixed window needs a fixed rate: on the drive it carries "
        f"{rate('lte-drive', 'atcp')} of the {rate('lte-drive', 'cubic')} that CUBIC does. Let it "
        "follow what the base station reports, where it reports.",
    )


def start_advice(outcomes: Outcomes) -> Sequence[str]:
    """Return what the start over a geostationary satellite takes, in words."""

    def mean(name: str) -> str:
        times = [transfer_time(outcomes[experiments.start(name)(seed)]) for seed in SEEDS]
        return delay_text(sum(times) / len(times))

    return (
        f"10 MB take {mean('cubic')} with CUBIC, {mean('split')} split and {mean('atcp')} with "
        "atcp: what costs is not knowing the rate. Give the gateway a window that does.",
    )


def energy_advice(outcomes: Outcomes) -> Sequence[str]:
    """Return what a page costs, in words."""
    share = _mean([tail_share(outcomes[experiments.one_page(seed)]) for seed in SEEDS])
    more = _mean(MEASURES["energy-variant"](outcomes))
    return (
        f"{share:.0f} % of the energy of a page go into the tail: fewer and larger transfers save "
        f"more than any transport. A slow one costs: Vegas takes {more / 100:.1f} times CUBIC's "
        "energy for the same file, since the radio's base power runs for as long.",
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
