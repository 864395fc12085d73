"""An emulated link is what it says: real programs measure what is set."""

import json
import math
import statistics
import subprocess
import sys

import pytest
import thinpipe as tp
from thinpipe.named_pipes import Way
from thinpipe.verification import PING_BYTES, Load, Prober, as_set

pytestmark = pytest.mark.usefixtures("emulation")

SURE = 2.576
"""Standard deviations on either side of the mean that hold 99 % of a normal distribution."""

PIPES = {name: pipe for name, pipe in tp.pipes().items() if pipe.has_rate}


def ways_of(name: str) -> dict[str, Way]:
    """Return both directions of a pipe of figures."""
    pipe = PIPES[name]
    assert pipe.down is not None
    assert pipe.up is not None
    return {"down": pipe.down, "up": pipe.up}


def rate_of(way: Way) -> float:
    """Return a rate that is known to be there."""
    assert way.rate_bps is not None
    return way.rate_bps


SMALL_BYTES, SMALL_PACKETS = 64, 2000
SMALL_MOST_BPS = 256_000
"""500 small packets a second, with which a receiver in Python keeps up."""


def test_programs_measure_a_link():
    settings = {"link.rate": "2 Mbit/s", "link.back.rate": "1 Mbit/s", "link.delay": "20 ms"}
    with tp.emulate("link", settings) as net:
        prober = Prober(net)
        rtts = prober.ping(3, 0.05)
        assert len(rtts) == 3
        assert min(rtts) >= 0.04 + PING_BYTES * 8 / 2e6 + PING_BYTES * 8 / 1e6
        came = prober.streams({"down": Load(3e6), "up": Load(2e5, SMALL_BYTES)}, 0.5)
        assert 0 < (came["down"].rate_bps or 0.0) <= 2.001e6, "the link sends no faster"
        assert came["up"].lost == 0
        assert prober.bulk("down", 0.5, 1_000_000) > 0
        assert (prober.page(2, 1000) or 0.0) >= 0.08


def test_figures_say_what_is_set():
    point = tp.Point.of(
        "link",
        {
            "link.rate": "2 Mbit/s",
            "link.back.delay": "5 ms",
            "link.delay": "20 ms",
            "link.loss": "3 %",
        },
    )
    assert as_set(point) == {"down": Way(2e6, 0.02, 0.0, 0.03), "up": Way(None, 0.005, 0.0, 0.0)}
    assert as_set(tp.Point.of("umts-384", {})) == {"down": None, "up": None}
    steps = {"link.schedule": "[{at = '1 s', loss = '1 %'}]"}
    assert as_set(tp.Point.of("link", steps))["down"] is None


@pytest.mark.slow
def test_the_command_prints_what_programs_measure(tmp_path):
    record = tmp_path / "figures.json"
    command = [sys.executable, "-m", "thinpipe", "emulate", "webpagetest:4g", "--verify"]
    done = subprocess.run(
        [*command, f"--record={record}"], capture_output=True, text=True, timeout=300, check=True
    )
    figures = json.loads(record.read_text(encoding="utf-8"))
    assert all(figure["what"] in done.stdout for figure in figures)
    by_name = {figure["what"]: figure for figure in figures}
    ping = next(figure for name, figure in by_name.items() if name.startswith("ping"))
    assert ping["measured"] >= ping["expected"]
    assert by_name["lost of it down"]["measured"] == 0
    assert by_name["TCP down, 3 s"]["measured"] == pytest.approx(
        by_name["TCP down, 3 s"]["expected"], rel=0.1
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", PIPES)
def test_a_named_pipe_is_what_it_says(name):
    ways = ways_of(name)
    with tp.emulate(name) as net:
        prober = Prober(net)
        rtts = prober.ping(50)
        seconds = 60 if min(map(rate_of, ways.values())) <= 100_000 else 20
        flood = {key: Load(1.2 * rate_of(way)) for key, way in ways.items()}
        flooded = prober.streams(flood, seconds)
        slowest_bps = min(SMALL_MOST_BPS, *(rate_of(way) / 2 for way in ways.values()))
        thin = dict.fromkeys(ways, Load(slowest_bps, SMALL_BYTES))
        lost = prober.streams(thin, SMALL_PACKETS * SMALL_BYTES * 8 / slowest_bps)
    late_s = net.record.lateness_s.p99 or 0.0
    set_s = sum(way.delay_s + PING_BYTES * 8 / rate_of(way) for way in ways.values())
    median_s = statistics.median(rtts)
    # A median of 50 strays by a third of the jitter at most.
    strays_s = sum(way.jitter_s for way in ways.values()) / 3
    assert abs(median_s - set_s) <= 0.001 + 2 * late_s + strays_s, f"{median_s} for {set_s}"
    for key, way in ways.items():
        kept, flooding, small = 1 - way.loss, flooded[key], lost[key]
        noise = SURE * math.sqrt(way.loss * kept / (flooding.received / kept)) / kept
        expected_bps = pytest.approx(rate_of(way) * kept, rel=0.01 + noise)
        assert flooding.rate_bps == expected_bps, key
        spread = SURE * math.sqrt(way.loss * kept / small.sent)
        assert abs((small.lost or 0.0) - way.loss) <= spread, f"{key}: {small}"
