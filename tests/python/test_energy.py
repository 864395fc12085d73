"""The energy of mobiles: figures, table and columns agree."""

import json

import pytest
import thinpipe as tp
from thinpipe.sweep.metrics import metrics_of

DURATION_S = 60.0
SETTINGS = {
    "radio.power.idle": "20 mW",
    "radio.power.uplink": "3 µJ/bit",
    "radio.ues": "8",
    "flow.count": "6",
}


@pytest.fixture(scope="module")
def run():
    return tp.run("umts-cell-50", SETTINGS, duration=f"{DURATION_S} s", trace=True)


def test_every_mobile_has_a_first_state_and_energies_that_rise(run):
    assert len(run.mobiles) == 8
    table = run.power
    assert table.columns == ["time_s", "mobile", "state", "power_w", "energy_j"]
    assert table["time_s"].is_sorted()
    for number, mobile in enumerate(run.mobiles):
        rows = table.filter(table["mobile"] == number)
        assert rows.row(0)[:3] == (0.0, number, "idle")
        assert rows["energy_j"][0] == 0
        assert rows["energy_j"].is_sorted()
        assert rows["energy_j"][-1] <= mobile.energy_j


def test_the_whole_is_the_sum_of_mobiles(run):
    energy = run.energy
    assert energy.total_j == pytest.approx(sum(mobile.energy_j for mobile in run.mobiles))
    assert energy.total_j == pytest.approx(sum(state.energy_j for state in energy.states))
    payload = sum(flow.pages.bytes for flow in run.flows)
    assert 0 < energy.per_megabyte_j * payload / 1e6 < energy.total_j * 1.01
    assert energy.mean_w == pytest.approx(energy.total_j / (8 * DURATION_S))
    assert energy.life_per_wh_s * energy.mean_w == pytest.approx(3600)
    assert run.mobiles[7].energy_j == pytest.approx(0.02 * DURATION_S)
    assert run.mobiles[7].mean_w == pytest.approx(0.02)
    assert run.mobiles[7].life_per_wh_s == pytest.approx(180_000), "50 h"
    assert run.mobiles[7].per_megabyte_j is None


def test_columns_of_a_sweep_are_those_of_the_whole(run):
    row = metrics_of(run.to_dict())
    assert row["energy.total_j"] == run.energy.total_j
    states = {state.name: state for state in run.energy.states}
    assert row["energy.states.cell-fach.energy_j"] == states["cell-fach"].energy_j
    assert not [name for name in row if name.startswith("mobiles")]
    units = {each.name: each.unit for each in tp.measures("energy")}
    assert units["energy.per_megabyte_j"] == units["energy.states.NAME.energy_j"] == "J"
    assert units["energy.states.NAME.power_w"] == "W"


def test_a_sweep_has_energies():
    points = [
        tp.Point.of("umts-cell-50", SETTINGS, duration="20 s", radio__rrc__inactivity__dch=tail)
        for tail in ("1 s", "20 s")
    ]
    short, long = tp.frame(tp.run_many(points))["energy.states.cell-dch.energy_j"]
    assert short < long


def test_a_saved_run_tells_the_same(run, tmp_path):
    run.save(tmp_path / "run")
    saved = tp.load(tmp_path / "run")
    assert (saved.energy, saved.mobiles) == (run.energy, run.mobiles)
    assert saved.power.equals(run.power)
    assert json.loads(run.json())["mobiles"][0]["name"] == "UE-0"


@pytest.mark.parametrize("trace", [False, True])
def test_a_radio_without_powers_says_so(tmp_path, trace):
    run = tp.run("gprs-3+1", duration="1 s", trace=trace)
    run.save(tmp_path / "run")
    reason = "nothing of the kind" if trace else "needs a run with trace=True"
    for each in (run, tp.load(tmp_path / "run")):
        assert (each.energy, [*each.mobiles]) == (None, [])
        with pytest.raises(ValueError, match=reason):
            each.power  # noqa: B018 - it raises


def test_a_radio_that_draws_nothing_lives_for_ever():
    run = tp.run("umts-cell-50", {"flow.start": "9 s", "radio.power.idle": "0 W"}, duration="2 s")
    assert run.energy is not None
    assert (run.energy.mean_w, run.energy.life_per_wh_s) == (0, None)


def test_a_run_without_a_trace_has_figures_alone():
    run = tp.run("umts-384", duration="1 s")
    assert run.energy is not None
    assert run.energy.states[0].name == "cell-dch"
    with pytest.raises(ValueError, match="needs a run with trace=True"):
        run.power  # noqa: B018 - it raises
