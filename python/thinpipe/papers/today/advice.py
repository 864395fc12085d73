"""What an engineer can do about it, in words, with the numbers of the runs.

A reason that is given has its run beside it, in which the cause is switched off (`causes`).
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from thinpipe.papers.today import causes, experiments
from thinpipe.papers.today.figures import delay_text, rate_text
from thinpipe.papers.today.measures import (
    MEASURES,
    goodput,
    ping_p95,
    repeated_syns,
    tail_share,
    transfer_time,
)
from thinpipe.papers.today.setup import ROWS, SEEDS, VARIANTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from thinpipe.papers.chakravorty2003.setup import Settings
    from thinpipe.papers.paper import Outcomes
    from thinpipe.papers.today.measures import Run, Value


def advice(outcomes: Outcomes) -> Sequence[str]:
    """Return the paragraphs below the map."""

    def rate(scenario: str, name: str, *more: Settings) -> str:
        return _rate(outcomes, experiments.over(scenario, name, *more))

    def delay(scenario: str, name: str) -> str:
        return _delay(outcomes, experiments.over(scenario, name))

    return (
        f"LTE: over category 1 Reno carries {rate('lte-cat1', 'reno')} with "
        f"{delay('lte-cat1', 'reno')} of delay, CUBIC {rate('lte-cat1', 'cubic')} with "
        f"{delay('lte-cat1', 'cubic')}, and BBR {rate('lte-cat1', 'bbr')} with "
        f"{delay('lte-cat1', 'bbr')}. Where the senders are not yours, a window in front of the "
        f"radio does as much: atcp {rate('lte-cat1', 'atcp')} with {delay('lte-cat1', 'atcp')}. "
        f"Not every variant carries that: of the {rate('lte-cat4', 'cubic')} that CUBIC carries "
        f"over category 4, Westwood+ has {rate('lte-cat4', 'westwood')} and Vegas "
        f"{rate('lte-cat4', 'vegas')}.",
        "Keep Vegas away from fast LTE: it leaves three segments in the queue at most, and takes a "
        "round trip that varies for a queue. Over category 4 it carries "
        f"{rate('lte-cat4', 'vegas')}; without a block in error "
        f"{rate('lte-cat4', 'vegas', causes.NO_ERRORS)}, if a mobile hardly waits to send "
        f"{rate('lte-cat4', 'vegas', causes.NO_WAIT)}, with neither "
        f"{rate('lte-cat4', 'vegas', causes.NO_ERRORS, causes.NO_WAIT)}, and "
        f"{rate('lte-cat4', 'vegas', causes.MORE_QUEUE)} if it leaves 120 to 240 segments in the "
        "queue. Over a wire, whose round trip varies with the queue alone, it carries "
        f"{rate('lte-drive', 'vegas', causes.STEADY)} of 14 Mbit/s. Over LTE-M it carries "
        f"{rate('lte-m', 'vegas')} with {delay('lte-m', 'vegas')}, CUBIC {rate('lte-m', 'cubic')} "
        f"with {delay('lte-m', 'cubic')}.",
        "High orbits that lose: no sender alone fills them. Over 12 Mbit/s CUBIC carries "
        f"{rate('geo-12-3-lossy', 'cubic')}, BBR {rate('geo-12-3-lossy', 'bbr')}; a middlebox "
        "whose window is the bandwidth-delay product and does not shrink at a loss, "
        f"{rate('geo-12-3-lossy', 'atcp')}. Splitting alone does not help "
        f"({rate('geo-12-3-lossy', 'split')}): the same congestion control meets the same losses. "
        "Where BBR sends over the lossy hop, split carries "
        f"{rate('geo-12-3-lossy', 'split', causes.BBR_BEHIND)}.",
        "A fixed window needs a fixed rate: on the drive it carries "
        f"{rate('lte-drive', 'atcp')} of the {rate('lte-drive', 'cubic')} that CUBIC does, at a "
        f"steady rate {rate('lte-drive', 'atcp', causes.STEADY)} of "
        f"{rate('lte-drive', 'cubic', causes.STEADY)}. Let it follow what the base station "
        "reports, where it reports.",
    )


def low_orbit_advice(outcomes: Outcomes) -> Sequence[str]:
    """Return what holds a sender down over a low orbit, in words."""

    def rate(name: str, *more: Settings, changes: bool = True) -> str:
        return _rate(outcomes, experiments.leo(name, *more, changes=changes))

    alone = (causes.OWN_BEAM, causes.LOSSLESS)
    cubic, vegas = (fmean(MEASURES[f"leo-{name}"](outcomes)) for name in ("cubic", "vegas"))
    return (
        "Low orbits lose one or two packets of a hundred without congestion, and whoever takes "
        f"that for congestion leaves them empty: of 50 Mbit/s CUBIC carries {rate('cubic')}, and "
        f"{rate('cubic', causes.NO_LOSS_BETWEEN)} if nothing is lost but what is in the air at a "
        f"change. Reno carries {rate('reno')}, BBR {rate('bbr')}.",
        f"Vegas carries {rate('vegas')}, and {rate('vegas', causes.STEPS_ALONE)} without any loss: "
        "it takes round trips that vary, with the other users of the beam and as the satellite "
        "moves, for a queue. Without these users and losses, over a satellite that stays, it "
        "carries "
        f"{rate('vegas', *alone, changes=False)}, nearly what CUBIC does "
        f"({rate('cubic', *alone, changes=False)}).",
        f"Changes every 15 s cost CUBIC {cubic:.0f} % of its goodput, and Vegas {vegas:.0f} %.",
    )


def start_advice(outcomes: Outcomes) -> Sequence[str]:
    """Return what the start over a geostationary satellite takes, in words."""

    def mean(name: str, *more: Settings) -> str:
        return delay_text(_mean(outcomes, experiments.start(name, *more), transfer_time))

    return (
        f"10 MB take {mean('cubic')} with CUBIC, {mean('split')} split and {mean('atcp')} with "
        "atcp: what costs is not knowing the rate. CUBIC whose first flight is all that the pipe "
        f"holds takes {mean('cubic', causes.ALL_AT_ONCE)}. Give the "
        "gateway a window that is right from the start.",
    )


def energy_advice(outcomes: Outcomes) -> Sequence[str]:
    """Return what a page costs, in words."""
    share = _mean(outcomes, experiments.one_page, tail_share)
    more, without = (
        fmean(measure(outcomes)) / 100
        for measure in (MEASURES["energy-variant"], causes.MEASURES["energy-no-base"])
    )
    return (
        f"{share:.0f} % of the energy of a page go into the tail, which is as long with any "
        "transport: fewer and larger transfers save more than a better one could. A slow one "
        f"costs: Vegas takes {more:.1f} times CUBIC's energy for the same file, since the radio's "
        f"base power runs for as long. Without that it would take {without:.1f} times as much.",
    )


def iot_advice(outcomes: Outcomes) -> Sequence[str]:
    """Return what differs over NB-IoT, in words."""

    def rates(scenario: str, names: Sequence[str]) -> str:
        found = [_mean(outcomes, experiments.over(scenario, name), goodput) for name in names]
        return f"{rate_text(min(found))} to {rate_text(max(found))}"

    def delay(name: str) -> str:
        return _delay(outcomes, experiments.over("nb-iot-2", name))

    def rate(name: str, *more: Settings) -> str:
        return _rate(outcomes, experiments.over("nb-iot-2", name, *more))

    syns = _mean(outcomes, experiments.over("nb-iot-2", "cubic"), repeated_syns)
    return (
        f"Variants carry {rates('nb-iot', VARIANTS)} at coverage level 0, all rows of the map "
        f"{rates('nb-iot-2', ROWS)} at level 2. What differs more is the delay: there a datagram "
        f"takes {delay('cubic')} behind CUBIC, {delay('vegas')} behind Vegas and {delay('atcp')} "
        "behind atcp.",
        f"A first time-out of 1 s is spurious there: the host's SYN is sent again {syns:.0f} "
        "times before its answer can be there. Snoop's timer, which does not back off, costs it "
        f"goodput: it carries {rate('snoop')}, without the timer {rate('snoop', causes.NO_TIMER)}.",
    )


def mmwave_advice(outcomes: Outcomes) -> Sequence[str]:
    """Return what a queue before millimetre waves does, in words."""

    def behind(kind: str, name: str, *more: Settings) -> tuple[str, str]:
        run = experiments.behind(kind, name, *more)
        return _rate(outcomes, run), _delay(outcomes, run)

    rate, delay = behind("droptail", "cubic")
    clear_rate, clear_delay = behind("droptail", "cubic", causes.NO_BLOCKAGE)
    codel_rate, codel_delay = behind("codel", "cubic")
    clear_codel, _ = behind("codel", "cubic", causes.NO_BLOCKAGE)
    bbr_rate, _ = behind("droptail", "bbr")
    bbr_codel, _ = behind("codel", "bbr")
    reported = experiments.over("nr-mmwave-blockage", "atcp")
    return (
        "What was queued for the rate before a blockage waits for the rate of the blockage: CUBIC "
        f"has {delay} of delay, and {clear_delay} where nothing is in the way. A window that "
        f"follows the reports of the base station has {_delay(outcomes, reported)}, and carries "
        f"{_rate(outcomes, reported)}, CUBIC {rate}.",
        f"CoDel keeps the delay, too ({codel_delay}), and pays with rate: CUBIC carries "
        f"{codel_rate}. Where nothing is in the way it pays little, {clear_codel} for "
        f"{clear_rate}. BBR, which few drops do not slow down, carries {bbr_codel} behind CoDel "
        f"and {bbr_rate} in the plain queue.",
    )


def _rate(outcomes: Outcomes, run: Run) -> str:
    return rate_text(_mean(outcomes, run, goodput))


def _delay(outcomes: Outcomes, run: Run) -> str:
    return delay_text(_mean(outcomes, run, ping_p95))


def _mean(outcomes: Outcomes, run: Run, value: Value) -> float:
    """Return the mean over seeds."""
    return fmean(value(outcomes[run(seed)]) for seed in SEEDS)
