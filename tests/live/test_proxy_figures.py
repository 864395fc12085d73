"""What the proxy makes of flows that share a thin link: `thinpipe reproduce proxy`, in short."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from statistics import fmean

import pytest
from thinpipe.acceptance.proxy.carry import carry
from thinpipe.acceptance.proxy.experiments import SETUPS
from thinpipe.acceptance.proxy.setup import Flow, Pinged
from thinpipe.testbed import missing

pytestmark = pytest.mark.slow
"""What it compares are times: a busy machine has its own."""

IN_TIME = "needs a machine that lets emulator, proxy and ends keep their time"

THREE = (Flow(0, 120_000), Flow(8, 40_000), Flow(16, 10_000))
"""Long enough to build a queue, short enough for a test."""

WEIGHTED = tuple(replace(flow, tickets=3) if flow.at_s else flow for flow in THREE)
LASTS_S = 45

DOWNLOADS = {
    "cubic": replace(SETUPS["three-cubic"], flows=THREE),
    "bbr": replace(SETUPS["three-bbr"], flows=THREE),
    "proxy": replace(SETUPS["three-proxy"], flows=THREE),
    "weighted": replace(SETUPS["three-weighted"], flows=WEIGHTED),
}
UPLOADS = {name: SETUPS[f"up-umts-384-{name}"] for name in ("plain", "proxy")}
RUNS = {
    **{("down", name): setup for name, setup in DOWNLOADS.items()},
    **{("up", name): setup for name, setup in UPLOADS.items()},
}


@pytest.fixture(scope="module")
def carried():
    """Carry all at once; `carry` refuses bytes that differ and flows that went past the proxy."""
    reason = missing()
    if reason:
        pytest.skip(reason)
    setups = [replace(setup, lasts_s=LASTS_S, pinged=Pinged.YES) for setup in RUNS.values()]
    with ThreadPoolExecutor(len(setups)) as pool:
        return dict(zip(RUNS, pool.map(carry, setups), strict=True))


@pytest.fixture
def timely(carried):
    """Return the downloads."""
    return in_time(carried, "down")


@pytest.fixture
def uploads(carried):
    """Return the uploads."""
    return in_time(carried, "up")


def in_time(carried, wanted):
    """Skip where something was late: times are the machine's there, not the link's."""
    if not all(run.punctuality.in_time for run in carried.values()):
        pytest.skip(IN_TIME)
    return {name: run for (way, name), run in carried.items() if way == wanted}


def ping_s(run):
    """Return the mean round-trip time of pings since the third flow began."""
    return fmean(echo.rtt_s for echo in run.echoes if echo.sent_s > THREE[-1].at_s)


def test_a_ping_stays_short_under_load(timely):
    assert ping_s(timely["proxy"]) <= 1.2
    assert ping_s(timely["cubic"]) > 5 * ping_s(timely["proxy"])
    assert ping_s(timely["bbr"]) > ping_s(timely["proxy"])


def test_a_ping_stays_short_beside_an_upload(uploads):
    pings = {name: fmean(echo.rtt_s for echo in run.echoes) for name, run in uploads.items()}
    assert pings["proxy"] <= 1.0
    assert pings["plain"] > 3 * pings["proxy"]


def test_an_upload_takes_no_longer(uploads):
    seconds = {name: run.flows[0].last_s for name, run in uploads.items()}
    assert seconds["proxy"] <= 1.1 * seconds["plain"]


def test_a_second_flow_connects_at_once(timely):
    connects = {name: run.flows[1].connect_s for name, run in timely.items()}
    assert connects["proxy"] <= 1.5
    assert connects["weighted"] <= 1.5
    assert connects["cubic"] > 3 * connects["proxy"]


def test_a_short_flow_is_soon_over(timely):
    totals = {name: run.flows[2].last_s for name, run in timely.items()}
    assert totals["proxy"] <= 9
    assert totals["weighted"] <= 9
    assert totals["cubic"] > 1.5 * totals["proxy"]
    assert totals["bbr"] > 1.5 * totals["proxy"]


def test_tickets_are_shares(timely):
    seconds = {name: run.flows[1].last_s for name, run in timely.items()}
    assert seconds["weighted"] < 0.85 * seconds["proxy"]


def test_the_link_is_never_idle(timely):
    ends = {
        name: max(flow.opened_s + flow.last_s for flow in run.flows)
        - min(flow.opened_s for flow in run.flows)
        for name, run in timely.items()
    }
    assert ends["proxy"] <= 1.04 * ends["cubic"]


def test_all_is_said_of_all(carried):
    for name, run in carried.items():
        assert run.handled == (0 if RUNS[name].box is None else len(RUNS[name].flows))
        assert all(flow.whole and not flow.error for flow in run.flows)
