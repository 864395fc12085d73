"""The thesis's walk-throughs, on small hand-made traces."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from thinpipe.papers.facts import Verdict, runs_of
from thinpipe.papers.hynderick2004 import experiments, walk
from thinpipe.papers.hynderick2004.check import MEASURES, alike, rounds_of_recovery
from thinpipe.papers.hynderick2004.experiments import one_window, two_windows
from thinpipe.papers.hynderick2004.paper import PAPER
from thinpipe.papers.hynderick2004.stated import FACTS
from thinpipe.papers.hynderick2004.trace import MSS, Trace
from thinpipe.papers.hynderick2004.wrong_models import WRONG_MODELS
from thinpipe.papers.outcomes import Outcome
from thinpipe.papers.series import Steps

STEP_S = 0.01

RENO = (
    # heard, then what leaves and the window
    (0, (1, 2), 2),
    (1, (3, 4), 3),
    (2, (5, 6), 4),
    (2, (), 4),
    (2, (), 4),
    (2, (3,), 5),
    (4, (7,), 2),
    (6, (8, 9), 3),
    (7, (10,), 3.3),
)
"""Packet 3 is lost and retransmitted upon the third duplicate; packet 5 is lost, too:
acknowledgements 4 and 6 name what the receiver then has."""


RESULT: Any = SimpleNamespace(duration_s=1.0)
"""A result of which only the end is used."""


def outcome(script):
    """Return the tables of a sender with this script; None received is an expiry."""
    rows, cwnd = [], []
    for number, (ack, sent, window) in enumerate(script):
        time_s = STEP_S * (number + 1)
        if ack is not None:
            rows.append((time_s, "received", 1, ack * MSS + 1, 0))
        rows += [(time_s, "sent", (packet - 1) * MSS + 1, 1, MSS) for packet in sent]
        cwnd.append((time_s, 0, float(window), 2.0))
    names = ("time_s", "event", "seq", "ack", "payload_bytes")
    segments = pl.DataFrame(rows, schema=names, orient="row").with_columns(
        flow=pl.lit(0), endpoint=pl.lit("sender:1024")
    )
    windows = pl.DataFrame(
        cwnd, schema=("time_s", "flow", "cwnd_segments", "ssthresh_segments"), orient="row"
    )
    return Outcome(RESULT, {"segments": segments, "cwnd": windows})


@pytest.fixture
def reno():
    return Trace.of(outcome(RENO))


def ack_of(step):
    return None if step is None else step.ack


def test_steps_say_what_each_acknowledgement_is(reno):
    assert [(step.ack, step.duplicate) for step in reno.steps] == [
        (0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (2, 3), (4, 0), (6, 0), (7, 0),
    ]  # fmt: skip
    assert [step.outstanding for step in reno.steps] == [2, 3, 4, 4, 4, 4, 3, 3, 3]


def test_loss_is_noticed_where_a_packet_leaves_again(reno):
    loss = reno.first_loss
    assert (loss.ack, loss.duplicate, loss.sent, loss.cwnd, loss.ssthresh) == (2, 3, (3,), 5, 2)


def test_walk_of_a_recovery(reno):
    assert walk.resent_at(reno, 3) == 3
    assert walk.on_duplicates(reno, 2) == [3]
    assert walk.new_on_duplicates(reno, 2) == []
    assert walk.upon(reno, 6) == [8, 9]
    assert walk.inflated(reno, 2) == 5
    assert ack_of(walk.answer(reno)) == 4
    assert ack_of(walk.recovered(reno)) == 6
    assert walk.recovery_s(reno) == pytest.approx(2 * STEP_S)
    assert walk.inflated_and_released(reno, 2) == [5]
    assert walk.alone(reno) == 0
    assert walk.last_of_slow_start(reno) == 6
    assert walk.end(reno) == [6, 3]
    assert walk.windows(reno.fresh(4)) == [2, 2]
    assert walk.departures(reno, 3) == 2


def test_expiry_of_the_timer_is_a_step_of_its_own():
    trace = Trace.of(outcome([(0, (1, 2), 2), (None, (1,), 1), (2, (3, 4), 2)]))
    assert [step.duplicate for step in trace.steps] == [0, -1, 0]
    assert trace.first_loss.sent == (1,)
    assert ack_of(walk.recovered(trace)) == 2


def test_what_did_not_happen_is_not_measured(reno):
    whole = Trace.of(outcome(RENO[:3]))
    with pytest.raises(ValueError, match="nothing again"):
        _ = whole.first_loss
    assert walk.upon(reno, 5) == []
    assert reno.duplicates(6) == []
    assert walk.inflated(reno, 6) is None
    assert walk.inflated_and_released(reno, 6) == []
    assert walk.whole_cwnd(None) is None
    assert walk.windows(None) == []


def test_packets_that_arrived_twice_were_needless():
    rows = [(0, "received", 1, 1000), (0, "received", 1001, 1000), (0, "received", 1, 1000),
            (0, "received", 1, 0), (0, "sent", 1, 1000)]  # fmt: skip
    table = pl.DataFrame(rows, schema=("flow", "event", "seq", "payload_bytes"), orient="row")
    assert walk.needless(Outcome(RESULT, {"segments": table})) == 1


def test_round_trips_of_a_recovery_are_those_of_the_packet_sent_again():
    assert rounds_of_recovery(outcome(RENO)) == pytest.approx(2.0)


def test_lists_are_one_where_variants_agree():
    runs = {("reno", 1): [29, 30], ("newreno", 1): [29, 30], ("sack", 1): [29]}
    study: Any = SimpleNamespace(trace=lambda *run: runs[run])

    def own(trace: Any) -> list[float]:
        return list(trace)

    assert alike(1, own, "reno", "newreno")(study) == [29, 30]
    assert alike(1, own, "reno", "sack")(study) == [29, 30, 29]


def test_bursts_hit_what_they_say():
    assert one_window(2) == (31, 32)
    assert two_windows(1) == (30,)
    # 28, 29 and 30 of the window that ends at 30; 27 is the last one acknowledged, which lets
    # 55 and 56 out, and the last two of those are lost.
    assert two_windows(5) == (28, 29, 30, 55, 56)


def test_lists_are_short_for_readers():
    assert runs_of((26.0, 29.0, 30.0, 31.0)) == "26, 29–31"
    assert runs_of((0.0, 0.0, 1.0, 1.0)) == "0, 0, 1, 1"
    assert runs_of(()) == ""


def test_what_differs_says_why():
    differing = [fact for fact in PAPER.facts if fact.expected is Verdict.DIFFERS]
    assert differing
    assert all(fact.note for fact in differing)


def test_every_walk_through_has_facts():
    walks = {fact.id.split("-")[0] for fact in PAPER.facts}
    assert {f"v{number}" for number in range(1, 19)} <= walks
    assert set(MEASURES) == {fact.id for fact in FACTS}


def test_windows_are_those_after_all_that_happened_at_a_time():
    steps = Steps(np.array([0.0, 1.0, 1.0]), np.array([1.0, 2.0, 3.0]), 2.0)
    assert steps.at(np.array([1.0]))[0] == 3.0


def test_wrong_models_change_what_they_say():
    point = experiments.four_drops("vegas", (14, 28))
    settings = dict(WRONG_MODELS["window of 20"].change(point).settings)
    assert settings["tcp.window"] == "20"
    assert dict(WRONG_MODELS["other variant"].change(point).settings)["tcp.variant"] == "reno"
