"""Chakravorty et al. 2003: the measures of Table I, Vegas rescued and the open ends."""

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from thinpipe.papers.chakravorty2003 import PAPER
from thinpipe.papers.chakravorty2003.open_ends import arrivals, mobiles, rate_steps, senders
from thinpipe.papers.chakravorty2003.setup import KB, PACKET
from thinpipe.papers.chakravorty2003.table1 import criteria, matrix
from thinpipe.papers.chakravorty2003.table1.schemes import (
    CRITERIA,
    NO_BOX,
    SCHEMES,
    TICKS,
    paper_tick,
)
from thinpipe.papers.chakravorty2003.vegas_rescued import study
from thinpipe.papers.lo2005.experiments import TBLERS
from thinpipe.papers.outcomes import Outcome

if TYPE_CHECKING:
    from thinpipe.point import Point

NAMED = {scheme.name: scheme for scheme in SCHEMES}


def run(received_s=20.0, queue=0.0, later_s=None, backlog=None, share=None, duration_s=400.0):
    """Return a run with one flow, or a second one whose last byte is read `later_s`."""
    flows = [SimpleNamespace(received_s=received_s, established_s=2.0, normalized_throughput=share)]
    if later_s is not None:
        flows.append(SimpleNamespace(received_s=later_s, established_s=2.0))
    link = SimpleNamespace(name="Um/down", queue_packets=SimpleNamespace(mean=queue))
    result: Any = SimpleNamespace(
        flows=flows, links=(link,), duration_s=duration_s, middlebox=None if backlog is None else 1
    )
    columns = ("time_s", "mobile", "queued_bytes")
    table = pl.DataFrame([*(backlog or ())], schema=columns, orient="row")
    return Outcome(result, {"middlebox_backlog": table})


def test_every_column_of_the_paper_has_a_scheme_and_every_criterion_a_row():
    assert {scheme.column for scheme in SCHEMES} - {None} == set(TICKS)
    assert all(len(ticks) == len(CRITERIA) == len(criteria.ROWS) for ticks in TICKS.values())
    assert len({scheme.name for scheme in SCHEMES}) == len(SCHEMES)


def test_ticks_of_the_paper():
    ours = [paper_tick(NAMED["atcp"], row) for row in range(8)]
    assert ours == [True] * 7 + [False]
    assert paper_tick(NO_BOX, 0) is None
    assert [paper_tick(NAMED[name], 7) for name in ("M-TCP", "Snoop")] == [False, True]


@pytest.mark.parametrize(
    ("name", "changes"),
    [("Freeze-TCP", True), ("WTCP", True), ("Westwood+", True), ("atcp", False), ("Snoop", False),
     ("no box, CoDel", False)],
)  # fmt: skip
def test_settings_tell_whether_hosts_change(name, changes):
    assert NAMED[name].changes_hosts is changes


@pytest.mark.parametrize(
    ("row", "value", "ticked"),
    [(0, 0, True), (0, 1, False), (1, 20, True), (1, 20.1, False), (2, 0.9, True), (3, 0.89, False),
     (4, 90, True), (5, 3.1, False), (6, 6, True), (6, np.inf, False), (7, 1, False),
     (1, np.nan, False)],
)  # fmt: skip
def test_thresholds(row, value, ticked):
    assert criteria.ROWS[row].ticked(value) is ticked


def test_thresholds_are_shown():
    assert [row.threshold() for row in criteria.ROWS] == [
        "0", "≤ 20", "≤ 0.9", "≥ 0.9", "≥ 90", "≤ 3", "≤ 6", "0",
    ]  # fmt: skip


def test_what_waits_at_the_border_waits_at_the_gateway_or_in_the_box():
    assert criteria.queued_kb(run(queue=2, received_s=40.0)) == pytest.approx(20 * PACKET / KB)
    backlog = [(0.0, 0, 4 * KB), (10.0, 0, 0)]
    assert criteria.queued_kb(run(backlog=backlog)) == pytest.approx(2)
    assert criteria.queued_kb(run(received_s=None, backlog=backlog)) == 0


def outcomes(scheme, **of):
    """Return every run of a scheme and without a box, equal except for the given ones."""
    found: dict[Point, Outcome] = {}
    for each in (scheme, NO_BOX, *SCHEMES):
        for seed in criteria.SEEDS:
            found |= {
                criteria.bulk(each, seed): of.get("bulk", run(50.0)),
                criteria.brief(each, seed): of.get("brief", run(8.0)),
                **{
                    point: of.get("pair", run(90.0, later_s=60.0))
                    for point in criteria.pairs(each, seed)
                },
                **{
                    criteria.erroneous(each, seed, percent): of.get("erroneous", run(80.0))
                    for percent in criteria.ERRORS
                },
                **{
                    criteria.interrupted(each, seed, lasts_s): run(50.0 + lasts_s + 4)
                    for lasts_s in criteria.STALLS_S.values()
                },
            }
    return found


def test_values_of_a_scheme():
    snoop = NAMED["Snoop"]
    runs = outcomes(snoop)
    for seed in criteria.SEEDS:
        runs[criteria.brief(snoop, seed)] = run(4.0)
        for percent in criteria.ERRORS:
            runs[criteria.erroneous(snoop, seed, percent)] = run(160.0)
    assert criteria.start(runs, snoop) == 0.5
    assert criteria.kept(runs, snoop) == pytest.approx(50)
    assert criteria.lost_after(5)(runs, snoop) == pytest.approx(4)
    assert criteria.line(runs) == pytest.approx(200 * KB / 50)


def test_fairness_gives_the_first_flow_what_the_later_one_leaves():
    snoop = NAMED["Snoop"]
    runs = outcomes(snoop)
    whole = criteria.line(runs)
    for seed in criteria.SEEDS:
        for after_s in criteria.AGES_S:
            for kb in criteria.LENGTHS_KB:
                half_s = kb * KB / (whole / 2)
                point = criteria.pair(snoop, seed, after_s, kb)
                runs[point] = run(90.0, later_s=after_s + 2.0 + half_s)
    assert criteria.shared(runs, snoop) == pytest.approx(1)


def test_every_disagreement_has_a_scheme_and_a_criterion():
    for (scheme, criterion), why in matrix.WHY.items():
        assert scheme in NAMED
        assert criterion in CRITERIA
        assert why


def throughputs(values):
    """Return runs of each way with one throughput at all block error rates."""
    return {
        point: run(share=values.get(way, 0.9))
        for way in study.WAYS
        for tbler in TBLERS
        for point in study.runs(way, tbler)
    }


def test_vegas_is_on_the_leg_that_the_name_says():
    wired = dict(study.WAYS["Vegas wired, Reno radio (I-TCP)"])
    assert (wired["tcp.variant"], wired["middlebox.tcp.variant"]) == ("vegas", "reno")
    radio = dict(study.WAYS["Reno wired, Vegas radio (I-TCP)"])
    assert (radio["tcp.variant"], radio["middlebox.tcp.variant"]) == ("reno", "vegas")


def test_steps_are_in_order_and_come_back():
    times, rates = zip(*rate_steps.STEPS, strict=True)
    assert [*times] == sorted(times)
    assert rates[-1] == rate_steps.WIDE
    assert times[-1] < rate_steps.LASTS_S


def test_throughput_is_beside_that_of_reno():
    runs = throughputs({"Vegas": 0.05, study.RESCUED[1]: 0.1, study.RESCUED[4]: 0.86})
    assert list(study.beside_reno("Vegas", (30,))(runs)) == pytest.approx([0.05 / 0.9])


def test_open_ends_measure_from_the_start_of_a_flow():
    assert mobiles.second_s(run(later_s=50.0)) == 30.0
    assert mobiles.connected_s(run(later_s=50.0)) == 2.0 - mobiles.AFTER_S


def test_gain_of_sharing_is_beside_that_of_the_box():
    times = dict(zip(senders.WAYS, (10.0, 8.0, 9.0, 6.0), strict=True))

    def objects(way):
        flows = [
            SimpleNamespace(received_s=senders.EVERY_S * flow + times[way])
            for flow in range(senders.FLOWS)
        ]
        result: Any = SimpleNamespace(flows=flows)
        return Outcome(result, {})

    runs = {point: objects(way) for way in senders.WAYS for point in senders.runs(way)}
    assert senders.gained(senders.TEMPORAL)(runs) == pytest.approx([50])
    assert senders.gained(senders.ENSEMBLE)(runs) == pytest.approx([25])


def test_capture_ships():
    assert arrivals.CAPTURE.is_file()


def test_items_of_this_part_are_there():
    names = {item.id for item in PAPER.items}
    assert {"table-1", "vegas-rescued", "rate-steps", "mobiles", "shared-state", "arrivals"} < names
