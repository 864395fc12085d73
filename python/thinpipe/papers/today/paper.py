"""The study as a whole: its items and the words of the report."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from thinpipe.papers.outcomes import Detail
from thinpipe.papers.paper import Item, Paper, Table
from thinpipe.papers.today import (
    all_traffic,
    all_traffic_figures,
    causes,
    experiments,
    figures,
    idle_gap,
    known,
    low_orbit,
    mmwave_tcp,
    moving_rate,
    round_trips,
)
from thinpipe.papers.today.advice import (
    advice,
    energy_advice,
    iot_advice,
    low_orbit_advice,
    mmwave_advice,
    start_advice,
)
from thinpipe.papers.today.measures import MEASURES, goodput, page_time, ping_p95
from thinpipe.papers.today.setup import NAMES, PIPES, ROWS, SEEDS, VARIANTS, download, heading
from thinpipe.papers.today.stated import FACTS
from thinpipe.papers.today.wrong_models import WRONG_MODELS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes
    from thinpipe.point import Point

PAGED: Final = ("lte-cat4", "lte-m", "leo-15s", "geo-600")
SHARED: Final = (("lte-cat4", "reno"), ("leo-15s", "cubic"), ("leo-15s", "bbr"))


def _seeds(*runs: Callable[[int], Point]) -> tuple[Point, ...]:
    return tuple(run(seed) for run in runs for seed in SEEDS)


def _spread(values: Iterable[float], text: Callable[[float], str]) -> str:
    """Return a mean and its 95 % confidence interval as text."""
    found = figures.estimate(tuple(values))
    return f"{text(found.mean)} ± {text(found.half or 0.0)}"


def _downloads(outcomes: Outcomes) -> Sequence[Table]:
    """Return goodput, delay and time-outs of each row over each pipe."""

    def rows(text: Callable[[Sequence[Outcome]], str]) -> tuple[tuple[str, ...], ...]:
        return tuple(
            (
                pipe.title,
                *(text([outcomes[download(pipe, name, seed)] for seed in SEEDS]) for name in ROWS),
            )
            for pipe in PIPES.values()
        )

    head = ("pipe", *(heading(name) for name in ROWS))
    rate = rows(lambda runs: _spread(map(goodput, runs), figures.rate_text))
    delay = rows(lambda runs: _spread(map(ping_p95, runs), figures.delay_text))
    spurious = rows(
        lambda runs: f"{sum(run.flow.spurious_timeouts for run in runs) / len(runs):.3g}"
    )
    return (
        Table("Goodput, mean ± 95 % confidence interval over five seeds", head, rate),
        Table("Delay of a datagram to the mobile under load, 95th percentile", head, delay),
        Table("Spurious time-outs of a download, mean", head, spurious),
    )


def _pages(outcomes: Outcomes) -> Sequence[Table]:
    rows = tuple(
        (
            PIPES[scenario].title,
            *(
                _spread(
                    (
                        page_time(outcomes[experiments.pages(scenario, name)(seed)])
                        for seed in SEEDS
                    ),
                    figures.delay_text,
                )
                for name in ROWS
            ),
        )
        for scenario in PAGED
    )
    caption = "Median page load time, mean ± 95 % confidence interval over five seeds"
    return (Table(caption, ("pipe", *(heading(name) for name in ROWS)), rows),)


def _idle_gaps(outcomes: Outcomes) -> Sequence[Table]:
    """Return the round trips of each network in each column of the measured table."""

    def cell(name: str, column: str) -> str:
        median, high = (idle_gap.quantile(outcomes, name, column, at, *SEEDS) for at in (0.5, 0.9))
        return f"{median:.0f} ({high:.0f})"

    rows = tuple(
        (network.title, *(cell(name, column) for column in idle_gap.COLUMNS))
        for name, network in idle_gap.NETWORKS.items()
    )
    head = ("network", "no gap", "0.05 to 0.3 s", "0.6 s to the tail", "after the tail")
    return (Table("Our round trips in ms: median (90th percentile)", head, rows),)


def _mmwave(outcomes: Outcomes) -> Sequence[Table]:
    """Return what each transfer from each server carries."""

    def carried(server: mmwave_tcp.Server, name: str) -> str:
        return f"{mmwave_tcp.rate_mbps(outcomes[mmwave_tcp.transferred(server, name)]):.0f}"

    rows = tuple(
        (
            f"{server.round_trip_ms} ms",
            *(carried(server, name) for name in mmwave_tcp.TRANSFERS),
        )
        for server in mmwave_tcp.SERVERS
    )
    head = ("least round trip", "UDP", "one TCP", "larger buffers", "eight")
    return (Table("Our goodput in Mbit/s", head, rows),)


_ITEMS: Final = (
    Item(
        "pipes",
        "Which transport for which pipe",
        (
            "A download for the whole run over each scenario that ships: five variants, and three "
            "middleboxes in front of CUBIC. Beside it a datagram now and then shows the delay that "
            "the download makes, also behind a middlebox, where the sender's RTT shows nothing.",
            "atcp is given what an operator knows: rate and RTT of the unloaded radio, and a tenth "
            "more; where the base station reports its rate, atcp follows it. split has buffers of "
            "four bandwidth-delay products. Variants have the profile `modern` of the kernel.",
            "Over NR 100 MHz the window of that profile bounds Reno, CUBIC, Westwood+, snoop and "
            "split before the queue overflows, so that their equal goodputs compare no variants; "
            "four times that window carries as much, with losses (nr-window).",
        ),
        tuple(
            download(pipe, name, seed) for pipe in PIPES.values() for name in ROWS for seed in SEEDS
        ),
        Detail.RESULT,
        figures.heat_map,
        _downloads,
        notes=advice,
        caption=(
            "Goodput in each cell, and below it the 95th percentile of what a datagram takes to "
            "the mobile. Colours compare goodput within a column."
        ),
    ),
    Item(
        "start",
        "The start over a geostationary satellite",
        ("10 MB at 100 Mbit/s over 600 ms, from the SYN to the last byte.",),
        _seeds(*(experiments.start(name) for name in ("cubic", "split", "atcp"))),
        Detail.RESULT,
        notes=start_advice,
    ),
    Item(
        "error-rate",
        "Does link control still hide loss, and still fool Vegas?",
        (
            "lte-cat1 with a fixed share of first transmissions in error, in the downlink; HARQ "
            "repeats up to three times, RLC AM repairs the rest.",
        ),
        _seeds(
            *(
                experiments.in_error(name, rate)
                for name in VARIANTS
                for rate in experiments.ERROR_RATES
            )
        ),
        Detail.RESULT,
        figures.error_rate,
        caption="Mean over five seeds with its 95 % confidence interval.",
    ),
    Item(
        "leo",
        "What 15 s of LEO cost",
        (
            "leo-15s beside the same link over a satellite that stays, as far away on average: no "
            "change every 15 s, no step of the RTT, and the losses between.",
        ),
        _seeds(
            *(
                experiments.leo(name, changes=changes)
                for name in VARIANTS
                for changes in (True, False)
            )
        ),
        Detail.RESULT,
        figures.without_causes,
        notes=low_orbit_advice,
        caption=(
            "Goodput of CUBIC and Vegas with one cause after the other switched off, mean over "
            "five seeds with its 95 % confidence interval."
        ),
        tabulate=lambda outcomes: (
            Table(
                "Goodput over leo-15s",
                ("", *(NAMES[name] for name in VARIANTS)),
                tuple(
                    (
                        text,
                        *(
                            _spread(
                                (
                                    goodput(outcomes[experiments.leo(name, changes=changes)(seed)])
                                    for seed in SEEDS
                                ),
                                figures.rate_text,
                            )
                            for name in VARIANTS
                        ),
                    )
                    for text, changes in (("another each 15 s", True), ("one that stays", False))
                ),
            ),
        ),
    ),
    Item(
        "pages",
        "Page load time",
        ("Pages of HTTP/1.1 one after the other for 5 minutes, 5 s to read each.",),
        _seeds(*(experiments.pages(scenario, name) for scenario in PAGED for name in ROWS)),
        Detail.RESULT,
        tabulate=_pages,
    ),
    Item(
        "fairness",
        "Four flows of one variant",
        ("Four downloads that begin a second apart, for a minute.",),
        _seeds(*(experiments.shared(*pair) for pair in SHARED)),
        Detail.RESULT,
    ),
    Item(
        "energy",
        "Energy",
        (
            "20 MB over lte-cat4, whose energy counts until the tail is over, and 500 kB with half "
            "a minute after it; power by state as in AT&T ARO.",
        ),
        _seeds(experiments.alone("cubic"), experiments.alone("vegas"), experiments.one_page),
        Detail.RESULT,
        notes=energy_advice,
    ),
    Item(
        "moving-rate",
        "A bandwidth-delay product that moves by ten within a second",
        (
            "An LTE cell of 20 MHz whose ratio of signal to noise falls from 17 to −1 dB within "
            "a second, stays for a second, and comes back: the rate falls to a tenth. A datagram "
            "every 50 ms each way shows the delay; the ping is the sum of both means.",
            "atcp's window is the rate × the RTT of the unloaded radio, and a tenth more: the rate "
            "that the base station reports, or that at which segments arrive.",
        ),
        moving_rate.POINTS,
        Detail.RESULT,
        figures.moving_rate,
        traced=tuple(moving_rate.moving(name, SEEDS[0]) for name in moving_rate.TRACED),
        caption=(
            "Above: two periods. Below: goodput and ping of each window, mean over five seeds; "
            "left of the dashed line is what was hoped for."
        ),
    ),
    Item(
        "nb-iot",
        "Which keeps the NB-IoT pipe usable?",
        ("Downloads of the map over the coverage levels of NB-IoT.",),
        _seeds(
            *(
                experiments.over(scenario, name)
                for scenario in ("nb-iot", "nb-iot-1", "nb-iot-2")
                for name in ROWS
            )
        ),
        Detail.RESULT,
        notes=iot_advice,
    ),
    Item(
        "mmwave",
        "Queues before mmWave",
        ("CUBIC and BBR through CoDel and a plain queue, and atcp by the radio's reports.",),
        _seeds(
            experiments.behind("codel", "cubic"),
            experiments.behind("droptail", "cubic"),
            experiments.over("nr-mmwave-blockage", "atcp"),
        ),
        Detail.RESULT,
        notes=mmwave_advice,
    ),
    Item(
        "lte",
        "LTE as others measured it",
        ("Runs of lte-cat4 without fading beside what was measured and specified.",),
        known.POINTS["lte"],
        Detail.RESULT,
    ),
    Item(
        "nr",
        "NR as others measured it",
        ("Runs of nr-tdd-100 beside what was measured.",),
        known.POINTS["nr"],
        Detail.RESULT,
    ),
    Item(
        "iot",
        "NB-IoT as others met it",
        (
            "A mobile that is idle sends 100 bytes every one or two minutes and waits for the "
            "answer of TCP: random access, connection, data and status.",
        ),
        known.POINTS["iot"],
        Detail.RESULT,
    ),
    Item(
        "satellites",
        "Satellites as others measured them",
        ("Runs of the scenarios that ship beside what was measured.",),
        known.POINTS["satellites"],
        Detail.RESULT,
    ),
    Item(
        "low-orbit",
        "A low orbit as Huston measured it",
        (
            "Pings over leo-15s: a datagram each way every 47 ms, whose ways together are a round "
            "trip. How far apart his were is not known here.",
        ),
        low_orbit.POINTS,
        Detail.TABLES,
        figures.low_orbit,
        caption=(
            "Above: round trips of three minutes; lines are the least of each slot of 15 s. Below: "
            "the share that was lost one way by the time in a slot, over all slots and seeds."
        ),
    ),
    Item(
        "idle-gap",
        "Round trips of six networks by how long nothing was sent",
        (
            "A server probes a mobile some time after its last answer: one that listens, one that "
            "sleeps between cycles, and after the tail one that waits for a page.",
            "Each network is a scenario that ships with its tail, its wire so long that a probe "
            "after no gap takes what was measured, and the long cycle of 3GPP nearest to the "
            "measured 90th percentile. Where none was measured: that of the other low band, and "
            "of T-Mobile's 4G the one that brings its median. Promotions are those of the "
            "scenarios; 15 s after the last answer stand-alone mobiles are no longer suspended.",
        ),
        idle_gap.POINTS,
        Detail.TABLES,
        figures.idle_gap,
        _idle_gaps,
        caption=(
            "Lines are our medians, areas from the 10th to the 90th percentile. Boxes are ranges "
            "of measured medians that facts judge; circles set the wire."
        ),
    ),
    Item(
        "mmwave-tcp",
        "TCP over millimetre waves by round-trip time",
        (
            "One download, one with larger buffers, and eight at once for 15 s, from four servers "
            "over 400 MHz without blockage. What others have of the cell is set so that UDP "
            "carries what it did.",
            "A default receiver is that of Linux: a window of 3.1 MB, half of its largest buffer.",
        ),
        mmwave_tcp.POINTS,
        Detail.RESULT,
        tabulate=_mmwave,
    ),
    Item(
        "round-trips",
        "Round trips that differ",
        (
            "Flows of 20 and 80 ms share 50 Mbit/s and a drop-tail queue for three minutes "
            "(rtt-unfairness): rates go as the round trip, waiting included, to the power of -a.",
            "Acknowledgements stray by half a millisecond, so that no flow keeps its phase; a fact "
            "shows exact times.",
        ),
        round_trips.POINTS,
        Detail.RESULT,
    ),
    Item(
        "subscriber",
        "A box at the subscriber's side",
        (
            "Four CUBIC uploads, a call of AMR at 12.2 kbit/s and ten pings a second over a modem "
            "of 256 kbit/s to 4 Mbit/s up and 30 ms one way: a rate for each seed. Ahead of it is "
            "nothing, a fair queue in the modem itself (FQ-CoDel), or atcp with "
            '`role = "subscriber"`.',
        ),
        all_traffic.UPLOAD_POINTS,
        Detail.RESULT,
        all_traffic_figures.uploads,
        caption="Each rate of the modem is a group of bars. The call alone is beside them.",
    ),
    Item(
        "steered",
        "CAKE by a script, and a box, where the uplink falls to a sixth",
        (
            "Four CUBIC uploads over `umts-384` with 384 kbit/s up, 64 from 30 to 60 s, and 384 "
            "again, 5 % of blocks in error and 100 packets in the modem.",
            "CAKE is a wire on the network's side, and the modem the downlink, with the same "
            "rates. A script adapts its rate each 0.3 s as cake-autorate does: up by 1 % a ping "
            "while three quarters are in use, and to nine tenths of what was achieved once two of "
            "four pings are late. Late are 25 ms beyond the least and a packet's time, as the "
            "script ships, or 0.2 s.",
        ),
        all_traffic.AHEAD_POINTS,
        Detail.TABLES,
        all_traffic_figures.steered,
        all_traffic_figures.compared,
        caption=(
            "Above: the mean of each second's pings, first seed. Below: what uploads carry against "
            "the mean ping, a mark for each seed."
        ),
    ),
    Item(
        "sixth",
        "A rate that falls to a sixth and comes back, without TCP",
        (
            "One flow that nobody can read, and four pings a second, over `umts-384` with 384, 64 "
            "and 384 kbit/s for 30 s each: down behind a box of the network, up behind one of the "
            "subscriber. A round trip of 130 ms is told. Seeds begin at different times.",
        ),
        all_traffic.SIXTH_POINTS,
        Detail.SEGMENTS,
        all_traffic_figures.sixth,
        caption="Dashed: what a window for the rate of the time allows. First seed.",
    ),
)

ITEMS: Final = tuple(
    replace(item, points=(*item.points, *causes.points(item.id))) for item in _ITEMS
)

PAPER: Final = Paper(
    id="today",
    citation="Which TCP for which pipe, asked again of today's networks (a study of thinpipe)",
    text=(
        "Hynderick et al. (2004) and Lo et al. (2005) asked which TCP suits which link control. "
        "This study asks it of what came after: HSDPA, LTE, NR, NB-IoT, satellites low and high.",
        "Hypotheses (H1 to H27) were written down before the first run; those that failed stay. "
        "Runs with a cause switched off, which came later, show the reasons that are given.",
    ),
    items=ITEMS,
    facts=FACTS,
    measures={
        **MEASURES,
        **causes.MEASURES,
        **known.MEASURES,
        **low_orbit.MEASURES,
        **idle_gap.MEASURES,
        **mmwave_tcp.MEASURES,
        **round_trips.MEASURES,
        **all_traffic.MEASURES,
    },
    wrong_models=WRONG_MODELS,
    not_reproduced=(
        "Of what others measured: changes of LEO beams off the grid of 15 s; the rates that users "
        "of LTE had, which are those of their cells; a receive window that follows the RTT (Jiang "
        "et al. 2012), which no scheme here has; handovers of NR that lean on LTE, whose times are "
        "keys. Nothing is compared with EURANE or 5G-LENA."
    ),
)
