"""The set-ups of `thinpipe reproduce emulation` are the same for kernel and simulator."""

import math
from dataclasses import replace

import pytest
import thinpipe as tp
from thinpipe.acceptance.emulation.collect import task
from thinpipe.acceptance.emulation.experiments import CONTROLS, MSS, SETUPS
from thinpipe.acceptance.emulation.live import Job, _dropped
from thinpipe.papers.facts import load
from thinpipe.papers.outcomes import Detail, Outcome
from thinpipe.papers.paper import Item, Live, Paper, reproduce
from thinpipe.papers.wrong import given
from thinpipe.testbed.packets import TCP

ICMP6 = 58
SYN, PURE_ACK, DATA = 60, 52, 1500


@pytest.mark.parametrize("name", SETUPS)
def test_both_sides_are_told_the_same(name):
    setup = SETUPS[name]
    for control in CONTROLS:
        for seed in setup.seeds:
            point = setup.point(control, seed)
            [job] = task(point).args  # type: ignore[attr-defined]
            told = dict(point.settings)
            assert dict(job.settings).items() <= told.items()
            assert (job.seed, job.control) == (seed, told["tcp.congestion_control"])
            assert told["flow.bytes"] == f"{job.payload_bytes} B"
            assert told["tcp.mss"] == f"{job.mss_bytes} B"


def test_each_transfer_is_a_point_of_its_own():
    points = [point for setup in SETUPS.values() for point in setup.points]
    assert len({*points}) == len(points)


@pytest.mark.parametrize("name", [name for name, setup in SETUPS.items() if setup.loss])
def test_losses_are_drawn_from_the_seed_alone(name):
    setup = SETUPS[name]
    draws = {seed: setup.dropped(seed) for seed in setup.seeds}
    assert len({tuple(each) for each in draws.values()}) == len(setup.seeds) == 6
    assert draws == {seed: setup.dropped(seed) for seed in setup.seeds}
    packets = 2 * setup.payload_bytes // MSS
    expected = len(draws) * packets * setup.loss
    lost = sum(map(len, draws.values()))
    assert lost == pytest.approx(expected, abs=3 * math.sqrt(expected))
    assert all(0 < number < packets for each in draws.values() for number in each)


def job(numbers):
    settings = (("link.drop_arrivals", str(numbers)),)
    return Job("link", settings, 1, 1, 1, MSS, "reno", at_once=None)


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([], ()),
        ([0, 2], ()),  # none of those counts
        ([1, 3], (0, 1)),
        # Two are yet to come: three of the seven that came do not count.
        ([5, 7, 12], (2, 4, 9)),
    ],
)
def test_losses_are_found_among_what_counts(numbers, expected):
    came = [
        (ICMP6, 96),
        (TCP, SYN),
        (TCP, PURE_ACK),
        (TCP, DATA),
        (ICMP6, 64),
        (TCP, DATA),
        (TCP, 90),
    ]
    rows = [
        {
            "uid": number,
            "protocol": protocol,
            "bytes": size,
            "fate": "list" if number in numbers else "delivered",
        }
        for number, (protocol, size) in enumerate(came)
    ]
    assert _dropped(rows, job(numbers)) == expected


def test_drops_of_no_set_up_are_none():
    assert _dropped([], replace(job([]), settings=())) == ()


FACT = """
[[fact]]
id = "window"
item = "i"
says = "s"
where = "w"
unit = "u"
basis = "own"
band = [2, 2]
wrong = "wider"
"""


def test_a_wrong_model_is_held_against_the_same_run(tmp_path):
    """Only the simulation is another: nothing is carried anew for it."""
    file = tmp_path / "facts.toml"
    file.write_text(FACT)
    point = tp.Point.of("plain-384", tcp__window=2, duration="1 s")
    compared = []

    def outcome(point, carried):
        compared.append((dict(point.settings)["tcp.window"], carried))
        return Outcome(tp.run(point.scenario, dict(point.settings)).result, {})

    paper = Paper(
        "toy",
        "Toy",
        (),
        (Item("i", "I", (), (point,), Detail.RESULT),),
        load(file, {}),
        {"window": lambda outcomes: [outcomes[point].flow.cwnd_segments.max or 0.0]},
        wrong_models={"wider": given("The window is wider.", ("tcp.window", 3))},
        live=Live(lambda _: lambda _: None, outcome, lambda: None),
    )
    made = reproduce(paper, wrong_models=True, carried=lambda key: key)
    assert compared == [("2", ("toy", point)), ("3", ("toy", point))]
    assert made.runs == 2
    assert not made.findings[0].passes_wrong_model
