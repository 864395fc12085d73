"""Chapter VI: the measures, on small hand-made runs, and completeness."""

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from thinpipe._core import ScenarioError
from thinpipe.papers import outcomes
from thinpipe.papers.facts import Verdict
from thinpipe.papers.hynderick2004.chapter6 import (
    FACTS,
    ITEMS,
    MEASURES,
    blackouts,
    contradictions,
    limits,
    measuring,
    parameters,
    queues,
    rates,
    recovery,
    sharing,
    variants,
)
from thinpipe.papers.hynderick2004.chapter6.setup import MODULE_RATES, transfer
from thinpipe.papers.outcomes import Outcome

STATEMENTS = {"p": 20, "c": 17, "q": 10, "b": 12, "e": 14, "s": 6, "x": 5}
"""Number of statements in each section of the chapter's list."""

FLOW: Any = SimpleNamespace(
    bytes_acked=1000,
    completed_s=1.0,
    goodput_bps=8000.0,
    retransmits=0,
    segments_sent=3,
    timeouts=0,
)


def outcome(segments=(), rtt=(), hops=(), blocks=(), events=(), drops=0, **flow):
    """Return a run: segments are (time, event, endpoint, seq, ack, payload, transmission)."""
    columns = ("time_s", "event", "endpoint", "seq", "ack", "payload_bytes", "transmission")
    table = pl.DataFrame([*segments], schema=columns, orient="row").with_columns(
        flow=pl.lit(0),
        flags=pl.lit(0x10),
        window=pl.lit(10_000),
        uid=pl.lit(0, dtype=pl.UInt64),
    )
    radio: Any = SimpleNamespace(downlink=SimpleNamespace(blocks_sent=20))
    result: Any = SimpleNamespace(
        duration_s=10.0,
        flows=(SimpleNamespace(**{**vars(FLOW), **flow}),),
        links=(SimpleNamespace(name="Uu/down", drops=drops),),
        radio=radio,
    )
    tables = {
        "segments": table,
        "rtt": pl.DataFrame([*rtt], schema=("time_s", "flow", "offset", "rtt_s"), orient="row"),
        "events": pl.DataFrame([*events], schema=("time_s", "event", "offset"), orient="row"),
        "hops": pl.DataFrame([*hops], schema=("time_s", "event"), orient="row"),
        "blocks": pl.DataFrame(
            [*blocks], schema=("time_s", "direction", "sn", "kind", "error"), orient="row"
        ),
    }
    return Outcome(result, tables)


def sent(time_s, number, transmission=1):
    return (time_s, "sent", "host:1", 1 + 500 * number, 1, 500, transmission)


def heard(time_s, packets):
    return (time_s, "received", "host:1", 1, 1 + 500 * packets, 0, 0)


def arrived(time_s, number):
    return (time_s, "received", "UE:1", 1 + 500 * number, 1, 500, 1)


BLACK_OUT = (
    sent(0.1, 0), heard(0.3, 1), sent(14.0, 1),
    # Black-out from 15 s on: the timer retransmits packet 1 at 17, 19, 23, 31 and 47 s.
    *(sent(at_s, 1, 2 + n) for n, at_s in enumerate((17.0, 19.0, 23.0, 31.0, 47.0))),
    heard(47.3, 2), sent(47.3, 2), sent(47.4, 0, 7),
)  # fmt: skip


EXPIRIES = (
    (3.0, "timeout", 0),
    *((at_s, "timeout", 500) for at_s in (17.0, 19.0, 23.0)),
    *((at_s, "spurious_timeout", 500) for at_s in (31.0, 47.0)),
    (47.3, "fast_retransmit", 500),
    (60.0, "timeout", 1000),
)


NO_FACT = {"e": {1, 12}, "p": {9, 15, 16, 17, 18, 19, 20}, "q": {10}, "x": {2, 4, 5}}
"""Set-up that any run meets, definitions, a repair of the module, what follows from q4, q6, q9 or
from the window's bound, and b4 the other way round."""


@pytest.mark.parametrize("letter", STATEMENTS)
def test_every_statement_is_a_fact(letter):
    found = {int(m[1]) for fact in FACTS if (m := re.match(rf"{letter}(\d+)(-|$)", fact.id))}
    assert found == set(range(1, STATEMENTS[letter] + 1)) - NO_FACT.get(letter, set())


def test_every_fact_is_measured_once_and_shown():
    assert {fact.id for fact in FACTS} == set(MEASURES)
    assert len({fact.id for fact in FACTS}) == len(FACTS)
    assert {fact.item for fact in FACTS} <= {item.id for item in ITEMS}


def test_what_differs_or_is_only_stated_says_why():
    for fact in FACTS:
        if fact.expected is Verdict.DIFFERS:
            assert fact.note, fact.id


def test_rates_halve_with_the_spreading_factor():
    for table in (MODULE_RATES, parameters.UPLINK_RATES):
        for sf, rate in table.items():
            assert table.get(2 * sf, rate / 2) == rate / 2
    assert 512 not in parameters.UPLINK_RATES


@pytest.mark.parametrize(
    ("values", "expected"),
    [((1, 2, 3), 1.0), ((3, 2, 1), -1.0), ((1, 1), 0.0), ((1, 3, 2), 1 / 3)],
)
def test_trend(values, expected):
    assert measuring.tau(values) == pytest.approx(expected)


def test_queue_that_suffices_is_the_first_within_five_per_cent():
    assert queues.needed([50, 94, 95, 99, 100, 99, 98]) == 6
    assert queues.needed([100] * 7) == 2


def test_attempts_of_a_black_out_are_those_of_one_packet():
    run = outcome(BLACK_OUT, events=EXPIRIES)
    assert blackouts.attempts_s(run, 15.0) == [17.0, 19.0, 23.0, 31.0, 47.0]
    assert blackouts.chain(run) == [1, 3, 7, 15]
    assert blackouts.wasted_s(run, 40.0) == 7.0
    assert blackouts.resent_between(run, 15.0, 23.0) == 2
    assert parameters.first_waits(run) == [2, 2, 2]
    assert parameters.longest_wait_s(run) == 16.0
    assert parameters.retransmissions_of_one(run) == 4


def test_bytes_acknowledged_at_a_time():
    run = outcome(BLACK_OUT)
    assert measuring.acked_by(run, (0.2, 0.3, 47.0, 50.0)).tolist() == [0, 500, 500, 1000]
    assert measuring.rate_between(run, 0.0, 50.0) == pytest.approx(8 * 1000 / 50)
    assert blackouts.dark_bytes(run, [(15.0, 40.0), (46.0, 48.0)]) == [0, 500]


def test_aftermath_of_a_jump_is_three_seconds():
    run = outcome(BLACK_OUT, hops=((16.9, "dropped"), (17.0, "dropped"), (20.0, "dropped")))
    assert rates.resent_after(run, 17.0) == 2
    assert rates.dropped_after(run, 17.0) == 1


def test_bursts_are_of_two_or_more():
    alone = [sent(0.0, 0), arrived(1.0, 0)]
    pair, three = ([arrived(at_s, at_s) for _ in range(at_s)] for at_s in (2, 3))
    run = outcome([*alone, *pair, *three])
    assert limits.burst(run) == pytest.approx((2 + 3) / 2)
    assert limits.largest_burst(run) == 3
    assert limits.burst(outcome(alone)) == 1


def test_segments_lost_and_overtaken():
    run = outcome([sent(0.0, 0), sent(0.0, 1), sent(0.0, 2), arrived(1.0, 2), arrived(1.1, 0)])
    assert recovery.lost_segments(run) == pytest.approx(100 / 3)
    assert parameters.overtaken(run) == 1


def test_effort_is_what_was_sent_over_what_arrived():
    run = outcome()
    assert measuring.tcp_effort(run, 500) == 1.5
    assert measuring.rlc_effort(run) == 1.2
    assert np.isnan(measuring.tcp_effort(outcome(bytes_acked=0), 500))


def test_runs_are_alike_only_if_each_acknowledgement_is():
    early, late = ((0.5, 0, 0, 0.1),), ((0.6, 0, 0, 0.1),)
    assert recovery.identical([outcome(rtt=early), outcome(rtt=early)])
    assert not recovery.identical([outcome(rtt=early), outcome(rtt=late)])
    assert recovery.untimely([outcome(rtt=early), outcome(rtt=early)]) == 0
    assert recovery.untimely([outcome(rtt=early), outcome(rtt=late)]) == 2
    assert not measuring.undisturbed(outcome(drops=1))
    assert measuring.undisturbed(outcome())


def test_repair_is_timed_from_the_error_to_the_retransmission():
    run = outcome(
        blocks=(
            (0.00, "down", 7, "data", True),
            (0.01, "down", 8, "data", False),
            (0.09, "down", 7, "retransmission", True),
            (0.20, "down", 7, "retransmission", False),
        )
    )
    assert parameters.repair_ms(run) == pytest.approx(100)


def test_settings_of_black_outs():
    schedule = blackouts.dark([(5.0, 20.0)])[0][1]
    assert schedule == [{"at": "5 s", "coverage": False}, {"at": "20 s", "coverage": True}]


def shared(kbps, response_s, late_s):
    """Return a run of a bulk and an interactive flow that lasts 10 s."""
    response: Any = SimpleNamespace(mean=response_s, p95=late_s)
    pages: Any = SimpleNamespace(bytes=1250, response_s=response)
    flows = (
        SimpleNamespace(bytes_acked=1250 * (kbps - 1), pages=None),
        SimpleNamespace(bytes_acked=0, pages=pages),
    )
    result: Any = SimpleNamespace(duration_s=10.0, flows=flows)
    return Outcome(result, {})


def test_a_manager_beats_a_queue_on_all_counts_or_not_at_all():
    place = sharing.PLACES[0]
    theirs, ours = sharing.fixed(place, 4), sharing.managed(place, "in-turn", 1)
    slow = {point: shared(100, 0.3, 0.9) for point in theirs}
    assert sharing.together_kbps(slow[theirs[0]]) == 100

    def verdicts(*gains):
        better = [shared(100 + rate, 0.3 - wait, 0.9 - late) for rate, wait, late in gains]
        runs = slow | dict(zip(ours, better, strict=True))
        return [sharing.beats(runs, ours, theirs, surely=surely) for surely in (False, True)]

    assert verdicts(*[(1, 0.1, 0.1)] * 5) == [True, True]
    assert verdicts((9, 0.1, 0.1), *[(-2, 0.1, 0.1)] * 4) == [True, False]
    for worse in ((-1, 0.1, 0.1), (1, -0.1, 0.1), (1, 0.1, -0.1), (0, 0.1, 0.1)):
        assert verdicts(*[worse] * 5) == [False, False]


def test_timeouts_of_a_black_out_are_those_within_it():
    run = outcome(events=((14.9, "timeout", 0), (15.0, "timeout", 0), (25.0, "timeout", 0)))
    assert variants.dark_timeouts(run, 10) == 1
    assert variants.dark_timeouts(run, 11) == 2


def test_curve_levels_by_its_growth_per_packet_of_queue():
    line = [float(queue) for queue in queues.QUEUES]
    assert queues.levelling(line) == pytest.approx(1)
    assert queues.levelling([*line[:-1], line[-2]]) == 0


def test_time_of_a_transfer_counts_from_the_established_connection():
    run = outcome(completed_s=6.5, established_s=6.0)
    assert measuring.from_established(run) == 2000


def test_a_file_and_pages_share_a_bearer():
    point = sharing.managed(sharing.PLACES[0], "in-turn", 1)[0]
    bulk, interactive = outcomes.collect([(point, outcomes.Detail.RESULT)])[point].result.flows
    assert bulk.pages is None
    assert bulk.bytes_acked > 1_000_000
    assert interactive.pages is not None
    assert interactive.pages.bytes == interactive.pages.count * sharing.PAGE > 0


def test_pdu_sent_again_more_than_once_is_told_by_its_kind():
    """Sequence numbers wrap: each new PDU of a number counts from zero."""
    blocks = [
        (0.0, "down", 1, "data", True),
        (0.1, "down", 1, "retransmission", True),
        (0.2, "down", 1, "retransmission", False),
        (0.3, "down", 2, "data", True),
        (0.4, "down", 2, "retransmission", False),
        (0.5, "down", 1, "data", True),
        (0.6, "down", 1, "retransmission", False),
        (0.7, "up", 1, "retransmission", False),
        (0.8, "down", 3, "data", False),
    ]
    assert recovery.sent_yet_again(outcome(blocks=blocks)) == pytest.approx(100 / 3)


def test_attempts_after_a_return_are_in_vain_but_for_the_last():
    point = blackouts.scenario_b(blackouts.READINGS[0], recovery.WITHOUT)
    for times_s, vain in (((17.0, 45.0, 52.0, 92.0), 1), ((17.0, 45.0, 78.0), 0)):
        run = outcome(BLACK_OUT, events=tuple((at_s, "timeout", 500) for at_s in times_s))
        assert contradictions.in_vain({point: run}) == [vain]


def test_more_is_told_in_per_cent():
    assert measuring.percent_more(lambda _: [1.0, 1.5])({}) == [0, 50]


def test_uplink_has_no_factor_of_512():
    run = transfer((("radio.uplink.sf", 512),), more=(("duration", "1 ms"),))
    with pytest.raises(ScenarioError, match="must be 256 at most"):
        outcomes.collect([(run, outcomes.Detail.RESULT)], jobs=1)
