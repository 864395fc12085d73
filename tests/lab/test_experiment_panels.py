"""What panels of several runs have in common."""

import thinpipe as tp
from thinpipe.lab.panel import Sight, panel_of
from thinpipe.lab.views.goodput import GOODPUT


def goodput_of(*rates):
    """The layers of the goodput of runs over links of these rates."""
    runs = [tp.run("plain-384", {"link.rate": rate}, duration="2 s") for rate in rates]
    sights = [
        Sight(run, number, str(number), 0, 0.0, 2.0, 800, several=True)
        for number, run in enumerate(runs)
    ]
    panel = panel_of(GOODPUT, sights, 0, is_open=True)
    assert panel is not None
    return [(layer["label"].split()[0], layer["run"]) for layer in panel["layers"]]


def test_a_capacity_that_runs_share_is_drawn_once_and_below_all_curves():
    assert goodput_of("384 kbit/s", "384 kbit/s") == [
        ("Capacity", 0),
        ("goodput", 0),
        ("goodput", 1),
    ]


def test_capacities_that_differ_are_all_drawn():
    assert goodput_of("384 kbit/s", "100 kbit/s") == [
        ("Capacity", 0),
        ("Capacity", 1),
        ("goodput", 0),
        ("goodput", 1),
    ]
