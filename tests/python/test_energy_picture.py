"""Pictures of the energy of mobiles."""

import numpy as np
import pytest
import thinpipe as tp
from matplotlib.figure import Figure
from thinpipe.plot.energy import COLORS, OTHERS, colors, powers

DURATION_S = 60.0
SETTINGS = {"radio.power.idle": "20 mW", "radio.power.uplink": "3 µJ/bit", "radio.ues": "8"}
NEEDS = r"^energy: needs a run whose radio has powers, \[radio\.power\]$"


@pytest.fixture(scope="module")
def run():
    return tp.run("umts-cell-50", SETTINGS, duration=f"{DURATION_S} s", flow__count=6, trace=True)


def axes():
    return Figure(figsize=(9, 5)).add_subplot()


def entries(ax):
    legend = ax.get_legend()
    return [text.get_text() for text in legend.get_texts()]


def test_the_area_below_powers_is_the_energy(run):
    for number, mobile in enumerate(run.mobiles):
        rows = run.power.filter(run.power["mobile"] == number)
        drawn = powers(rows, DURATION_S, mobile.energy_j)
        lasts_s = np.diff(drawn.edges_s)
        assert (lasts_s > 0).all()
        assert (drawn.edges_s[0], drawn.edges_s[-1]) == (0.0, DURATION_S)
        assert (drawn.power_w * lasts_s).sum() == pytest.approx(mobile.energy_j)
        for state in mobile.states:
            own = drawn.states == state.name
            assert lasts_s[own].sum() == pytest.approx(state.time_s)
            assert (drawn.power_w * lasts_s)[own].sum() == pytest.approx(state.energy_j)
            assert (drawn.power_w[own] >= state.power_w - 1e-9).all()


def test_a_part_of_a_picture_shows_what_happened_in_it(run):
    mobile = run.mobiles[2]
    rows = run.power.filter(run.power["mobile"] == 2)
    drawn = powers(rows, DURATION_S, mobile.energy_j)
    for start_s, end_s in [(0.0, DURATION_S), (10.0, 30.0), (12.3, 12.4), (59.0, 60.0)]:
        part = drawn.between(start_s, end_s)
        assert (part.edges_s[0], part.edges_s[-1]) == (start_s, end_s)
        assert (np.diff(part.edges_s) > 0).all(), "a line at an edge"
        for time_s in np.linspace(start_s, end_s, 50, endpoint=False):
            powers_w = [
                each.power_w[np.searchsorted(each.edges_s, time_s, side="right") - 1]
                for each in (drawn, part)
            ]
            assert powers_w[0] == powers_w[1]


def test_a_run_without_powers_or_without_a_trace_has_no_picture():
    for trace in (False, True):
        with pytest.raises(ValueError, match=NEEDS):
            tp.run("gprs-3+1", duration="1 s", trace=trace).plot.energy(axes())
    with pytest.raises(ValueError, match="needs a run with trace=True"):
        tp.run("umts-384", duration="1 s").plot.energy(axes())


def test_picture(run):
    mobile = run.mobiles[2]
    time, energies = run.plot.energy(axes(), mobile=2).axes[0].child_axes
    assert time.get_ylabel() == "Power of UE-2 (W)"
    assert time.get_xlabel() == "Time (s)"
    names = [state.name for state in mobile.states]
    assert sorted(entries(time)) == sorted(names)
    assert [text.get_text() for text in energies.get_yticklabels()] == names
    widths = [bar.get_width() for bar in energies.patches]
    assert widths == pytest.approx([state.energy_j for state in mobile.states])
    assert energies.get_xlabel().startswith("Energy of the whole run (J): ")


def test_picture_of_a_mobile_that_draws_nothing():
    run = tp.run("umts-cell-50", {"radio.ues": 2, "flow.count": 1}, duration="2 s", trace=True)
    time, energies = run.plot.energy(axes(), mobile=1).axes[0].child_axes
    assert entries(time) == ["idle"]
    assert energies.texts[0].get_text() == " 0 J in 2 s"


def test_picture_of_no_mobile(run):
    with pytest.raises(ValueError, match=r"^mobile: 8 is none of this run's, 0 to 7$"):
        run.plot.energy(axes(), mobile=8)


def test_states_of_other_radios_have_colours_of_their_own():
    found = colors(["idle", "short-drx", "long-drx", "short-drx"])
    assert found == {"idle": COLORS["idle"], "short-drx": OTHERS[0], "long-drx": OTHERS[1]}
