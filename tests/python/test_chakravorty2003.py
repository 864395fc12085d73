"""Chakravorty et al. 2003: the measures, on small hand-made runs."""

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from thinpipe.papers.chakravorty2003 import (
    PAPER,
    applications,
    flow_control,
    laws,
    link,
    measuring,
    plain,
    queueing,
    recovery,
    sharing,
    short,
    skipack,
    stall,
)
from thinpipe.papers.chakravorty2003.setup import FIFO, KB, MSS, PACKET, point, seeds, size
from thinpipe.papers.facts import Verdict
from thinpipe.papers.outcomes import Outcome
from thinpipe.papers.series import Steps

STATEMENTS = {"l": 11, "t": 6, "p": 14, "w": 3, "r": 3}
"""Number of statements on the link, TCP without a proxy, the proxy, the windows that hosts see, and
losses in bursts."""

FLOW: Any = SimpleNamespace(
    bytes_acked=10 * MSS,
    started_s=1.0,
    established_s=2.5,
    completed_s=9.0,
    received_s=8.0,
    segments_sent=10,
    retransmits=1,
)


SCHEMAS = {
    "rtt": ("time_s", "flow", "offset", "rtt_s"),
    "cwnd": ("time_s", "flow", "cwnd_segments"),
    "hops": ("time_s", "uid", "machine", "event"),
    "middlebox_backlog": ("time_s", "mobile", "queued_bytes", "in_flight_bytes", "cwnd_bytes"),
    "middlebox_rtt": ("time_s", "mobile", "connection", "rtt_s"),
    "middlebox_events": ("time_s", "mobile", "connection", "event", "offset"),
}


def outcome(segments=(), flows=(FLOW,), **tables):
    """Return a run: segments are (time, event, endpoint, towards, seq, ack, payload, flags)."""
    columns = ("time_s", "event", "endpoint", "towards", "seq", "ack", "payload_bytes", "flags")
    table = pl.DataFrame([*segments], schema=columns, orient="row").with_columns(
        flow=pl.lit(0),
        uid=pl.int_range(pl.len()),
        window=pl.lit(65_535),
        sack_from=pl.lit(0),
        sack_to=pl.lit(0),
        transmission=pl.lit(1),
    )
    result: Any = SimpleNamespace(duration_s=10.0, flows=flows, links=(), middlebox=None)
    others = {
        name: pl.DataFrame([*rows], schema=SCHEMAS[name], orient="row")
        for name, rows in tables.items()
    }
    return Outcome(result, {"segments": table, **others})


def sent(time_s, number, flags=0x10):
    return (time_s, "sent", "host:1", "receiver", 1 + MSS * number, 1, MSS, flags)


def passed(time_s, number):
    return (time_s, "sent", "proxy", "receiver", 1 + MSS * number, 1, MSS, 0x10)


def told(time_s, packets):
    """Return an acknowledgement that the sender receives."""
    return (time_s, "received", "host:1", "sender", 1, 1 + MSS * packets, 0, 0x10)


def said(time_s, packets):
    """Return an acknowledgement that the mobile sends."""
    return (time_s, "sent", "mobile:1", "sender", 1, 1 + MSS * packets, 0, 0x10)


@pytest.mark.parametrize("letter", STATEMENTS)
def test_every_statement_is_a_fact(letter):
    found = {int(m[1]) for each in PAPER.facts if (m := re.match(rf"{letter}(\d+)(-|$)", each.id))}
    assert found == set(range(1, STATEMENTS[letter] + 1))


def test_every_fact_is_measured_once_and_shown():
    assert {fact.id for fact in PAPER.facts} == set(PAPER.measures)
    assert all(len(fact.id) <= 18 for fact in PAPER.facts)
    shown = {fact.item for fact in PAPER.facts}
    assert shown == {item.id for item in PAPER.items}


def test_what_differs_says_why():
    for fact in PAPER.facts:
        if fact.expected is Verdict.DIFFERS:
            assert fact.note, fact.id


def test_every_item_names_what_it_runs():
    assert all(item.points or item.traced for item in PAPER.items)
    assert len({item.id for item in PAPER.items}) == len(PAPER.items)


def test_plain_queue_runs_once():
    assert len(seeds(FIFO, size(5))) == 1
    assert point(FIFO, size(5), size(6)).settings[0] == ("flow.bytes", f"{6 * KB} B")


@pytest.mark.parametrize(
    ("rates", "index"), [((1, 1), 1.0), ((1, 0), 0.5), ((2, 1), 0.9), ((1, 1, 1, 1), 1.0)]
)
def test_jain(rates, index):
    assert measuring.jain(rates) == pytest.approx(index)


SYN_SENT = (1.0, "sent", "mobile:1", "sender", 0, 0, 0, 0x02)
ANSWERED = (2.5, "received", "mobile:1", "receiver", 0, 1, 0, 0x12)


def test_times_of_a_flow_count_from_its_syn():
    run = outcome([SYN_SENT, ANSWERED, sent(2.6, 0)])
    assert measuring.connect_s(run) == 1.5
    assert measuring.received_s(run) == 8.0
    assert measuring.received_s(run, start_s=2.0) == 6.0
    assert measuring.connect_s(outcome([SYN_SENT])) == np.inf
    never = SimpleNamespace(**{**vars(FLOW), "received_s": None})
    assert measuring.received_s(outcome(flows=(never,))) == np.inf


def test_transfer_is_over_when_fin_is_acknowledged():
    fin = (5.0, "sent", "host:1", "receiver", 1 + MSS, 1, 0, 0x11)
    over = (7.5, "received", "host:1", "sender", 1, 2 + MSS, 0, 0x10)
    run = outcome([SYN_SENT, ANSWERED, sent(2.6, 0), fin, told(6.0, 1), over])
    assert measuring.closed_s(run) == 6.5
    assert measuring.closed_s(outcome([SYN_SENT, sent(2.6, 0), fin, told(6.0, 1)])) == np.inf


def test_pipe_is_full_when_the_window_holds_the_product():
    run = outcome(
        [sent(1.0, -1, 0x02), sent(3.0, 0), sent(5.0, 1), sent(6.0, 2)],
        cwnd=((1.0, 0, 2.0), (5.0, 0, 8.0), (6.0, 0, 9.0)),
    )
    assert measuring.full_at(run) == 4.0
    assert measuring.sent_until(run, 4.0) == 2 * MSS
    assert measuring.full_at(outcome(cwnd=((1.0, 0, 2.0),))) == np.inf


def test_timeouts_of_a_handshake_are_of_either_end(monkeypatch):
    monkeypatch.setattr(plain, "SECOND", 0)
    answer = (0.0, "sent", "host:1", "receiver", 0, 1, 0, 0x12)
    heard = (0.0, "received", "host:1", "sender", 0, 0, 0, 0x02)
    rows = [SYN_SENT, (2.0, *heard[1:]), (2.0, *answer[1:]), (4.0, *SYN_SENT[1:])]
    rows += [(5.0, *answer[1:]), (5.5, *heard[1:]), (5.5, *answer[1:]), sent(7.0, 0)]
    assert plain.handshake_timeouts(outcome(rows)) == 2


def test_repeated_syns_are_counted():
    again = (4.0, *SYN_SENT[1:])
    assert measuring.syn_again(outcome([SYN_SENT, again, sent(6.0, 0)])) == 1


def test_what_the_mobile_has_is_what_it_acknowledged():
    run = outcome([sent(0.0, 0), sent(0.0, 1), said(2.0, 1), said(4.0, 2), told(5.0, 2)])
    assert measuring.delivered(run).at(np.array([1.0, 2.0, 5.0])).tolist() == [0, MSS, 2 * MSS]
    assert measuring.rate(run, 1.0, 5.0) == 2 * MSS / 4
    assert measuring.acknowledged_early(run) == 0


def test_early_acknowledgement_is_one_that_the_mobile_has_not_sent():
    run = outcome([sent(0.0, 0), told(1.0, 1), said(2.0, 1)])
    assert measuring.acknowledged_early(run) == 1


def test_who_sends_over_the_radio():
    heard = (3.0, "received", "proxy", "sender", 1, 1 + MSS, 0, 0x10)
    answers = (0.5, "sent", "proxy", "sender", 1, 1 + MSS, 0, 0x10)
    run = outcome([sent(0.0, 0), answers, passed(1.0, 0), heard, said(2.0, 1)])
    rows = measuring.radio_end(run.tables["segments"])
    assert rows["time_s"].to_list() == [1.0, 3.0]
    alone = outcome([sent(0.0, 0), said(2.0, 1)]).tables["segments"]
    assert measuring.radio_end(alone)["endpoint"].unique().to_list() == ["host:1"]
    assert measuring.mobile_end(run.tables["segments"])["endpoint"].unique().to_list() == [
        "mobile:1"
    ]


def test_round_trip_times_are_those_of_the_box_where_it_takes_some():
    rtt = ((1.0, 0, 0, 9.0),)
    assert measuring.rtts(outcome(rtt=rtt)).tolist() == [9.0]
    leg = ((1.0, 0, 0, 2.0), (2.0, 0, 0, 4.0))
    run = outcome(rtt=rtt, middlebox_rtt=leg)
    assert measuring.rtts(run).tolist() == [2.0, 4.0]
    assert measuring.mean_rtt(run) == 3.0
    # A box that forwards an upload measures nothing, its end, or another connection.
    own = [(float(at), 0, at * MSS, 9.0) for at in range(4)]
    others = [(1.0, 0, 1, 2.0)] * 4
    for box in ((), leg, others):
        assert measuring.rtts(outcome(rtt=own, middlebox_rtt=box)).tolist() == [9.0] * 4


def test_mean_over_time_weighs_by_time():
    steps = Steps(np.array([0.0, 1.0, 4.0]), np.array([0.0, 8.0, 0.0]), 10.0)
    assert measuring.time_mean(steps, 0.0, 4.0) == 6.0
    assert measuring.time_mean(steps, 2.0, 6.0) == 4.0


def test_rate_of_the_line_counts_headers():
    rtt = [(float(second), 0, MSS * second, 1.0) for second in range(11)]
    assert measuring.line_rate(outcome(rtt=rtt)) == pytest.approx(PACKET)


def test_bunches_are_of_what_comes_within_50_ms():
    times = (1.0, 1.02, 1.04, 2.0, 3.0, 3.01)
    run = outcome([sent(0.0, 0), *(told(time_s, 1) for time_s in times)])
    assert link.group_sizes(run) == [3, 3, 3, 1, 2, 2]
    assert link.group(run) == 2.5


def test_bunches_are_of_what_left_alone_and_arrives_together():
    left, came = (0.5, 0.8, 0.82, 1.5, 2.0), (1.0, 1.02, 1.04, 2.0, 3.0)
    rows = [sent(0.0, 0), *(said(time_s, 1) for time_s in left)]
    run = outcome([*rows, *(told(time_s, 1) for time_s in came)])
    segments = run.tables["segments"].with_columns(uid=pl.Series([0, *range(1, 6), *range(1, 6)]))
    assert link.bunched(Outcome(run.result, {"segments": segments})) == 20


def test_losses_of_an_outage_in_one_row():
    rows = [sent(50.0 + number, number) for number in range(6)]
    run = outcome(rows)
    segments = run.tables["segments"]
    got = segments.filter(segments["uid"].is_in([0, 5])).with_columns(event=pl.lit("received"))
    run = Outcome(run.result, {"segments": pl.concat([segments, got])})
    assert link.lost_numbers(run).tolist() == [1, 2, 3, 4]
    assert link.longest_burst(run) == 4


def test_buffer_is_what_a_queue_held_at_its_first_drop():
    hops = [(0.0, uid, "Q", "entered") for uid in range(5)]
    run = outcome(hops=[*hops, (0.0, 0, "Q", "left"), (0.0, 5, "Q", "dropped")])
    assert link.buffered_kb(run) == 4 * link.DATAGRAM / 1000


def test_windows_after_idle_times():
    at = (0.0, 0.01, 30.0, 30.01, 32.0, 60.0, 60.01, 60.02)
    request = (29.0, "sent", "mobile:1", "sender", 1, 1, 350, 0x10)
    rows = [request, *(sent(time_s, number) for number, time_s in enumerate(at))]
    assert plain.windows_after_idle(outcome(rows)) == [2.0, 3.0]


def test_skipack_counts_as_the_paper_does():
    entries = skipack.unacknowledged("abcacb")
    again = [skipack.acknowledge(entries, number) for number in (4, 5, 6)]
    assert again == [[], [], [1, 2, 3]]
    assert [entry.skipack for entry in entries] == [3, 3, 3, 0, 0, 0]
    assert [entry.sacked for entry in entries] == [False, False, False, True, True, True]


def test_knee_lies_between_two_windows(monkeypatch):
    times = dict(zip(queueing.CLAMPS, (200, 150, 100, 100, 100, 100, 100), strict=True))
    monkeypatch.setattr(
        queueing, "times", lambda _, *windows: lambda _: [times[kb] for kb in windows]
    )
    assert queueing.knee({}, FIFO) == pytest.approx(6 + 2 * (0.98 - 2 / 3) * 3)


def test_what_is_injected_ends_with_the_first_acknowledgement():
    run = outcome([sent(1.0, 0), sent(1.0, 1), told(1.5, 0), told(3.0, 1), sent(3.0, 2)])
    assert short.injected(run) == 2 * MSS


def test_data_are_early_if_the_mobile_acknowledges_later():
    run = outcome([sent(0.0, 0), told(1.0, 1), said(2.0, 1), sent(3.0, 1), said(4.0, 2),
                   told(5.0, 2)])  # fmt: skip
    assert laws.early(run) == 50
    assert laws.data_early_s(run) == -1.0


def test_pace_after_a_repair_is_beside_that_before():
    rows = [sent(float(number), number) for number in range(20)]
    rows += [sent(20.0, 5), *(sent(20.0 + number, 19 + number) for number in range(1, 5))]
    assert skipack.pace_kept(outcome(rows)) == pytest.approx(-50.0)


def test_confidence_interval_of_twenty_five():
    values = [1.0, 2.0] * 12 + [1.5]
    assert short.half_width(values) == pytest.approx(2.064 * np.std(values, ddof=1) / 5)


def test_rate_is_recovered_when_three_seconds_have_nine_tenths():
    rows = [sent(0.0, 0)]
    rows += [said(float(at_s), at_s) for at_s in range(1, 90)]
    rows += [said(float(at_s), at_s) for at_s in range(105, 130)]
    run = outcome(rows)
    run.result.duration_s = 130.0
    assert 2 <= stall.recovered_s(run) <= 5.1


STALLED = (94.0, 0, -1, "stalled", 0)
RECOVERED = (121.0, 0, -1, "recovered", 0)


def test_probes_of_a_stall_are_what_was_sent_again_in_it():
    again = [passed(95.0, 3), passed(98.0, 4), passed(101.0, 3), passed(101.2, 4)]
    run = outcome(
        [sent(0.0, 0), *(passed(80.0 + number, number) for number in range(6)), *again],
        middlebox_rtt=[(float(at_s), 0, 0, 2.0) for at_s in range(5)],
        middlebox_events=(STALLED, RECOVERED),
    )
    assert stall.resent(run) == 4
    assert stall.kinds(run) == 2
    assert stall.at_once(run) == 2
    assert stall.smoothed_s(run) == 2.0
    assert stall.interval(run) == pytest.approx(6.2 / 3 / 2)


def test_probes_slow_down_by_the_last_time_between_them():
    times = (95.0, 97.0, 99.0, 102.0)
    run = outcome([sent(0.0, 0), passed(80.0, 3), *(passed(time_s, 3) for time_s in times)])
    assert stall.slowed(run) == pytest.approx(50.0)
    assert np.isnan(stall.slowed(outcome([sent(0.0, 0), passed(80.0, 3), passed(95.0, 3)])))


def test_window_after_a_recovery_is_beside_the_first():
    backlog = [(1.0, 0, 0, 0, 100), (122.0, 0, 0, 0, 140), (127.0, 0, 0, 0, 900)]
    run = outcome([sent(0.0, 0)], middlebox_events=(STALLED, RECOVERED), middlebox_backlog=backlog)
    assert stall.window_back(run) == pytest.approx(1.4)


def test_smoothed_time_takes_an_eighth():
    run = outcome([sent(0.0, 0)], middlebox_rtt=((1.0, 0, 0, 2.0), (2.0, 0, 0, 4.0)))
    assert stall.smoothed_s(run) == 2.25


def windows(*told_to):
    """Return the windows that a host receives: (time, window)."""
    run = outcome(
        [sent(0.0, 0), *(told(time_s, 1) for time_s, _ in told_to)],
        middlebox_events=(STALLED, RECOVERED),
    )
    values = pl.Series([65_535, *(window for _, window in told_to)])
    return Outcome(
        run.result,
        {**run.tables, "segments": run.tables["segments"].with_columns(window=values)},
    )


def test_windows_close_in_a_stall_and_open_after_it():
    run = windows((93.0, 2706), (95.0, 9), (105.0, 0), (121.0, 10), (121.5, 1358))
    assert stall.open_in_stall(run) == 0
    assert stall.restored_s(run) == 0.5
    assert flow_control.small(run) == 60
    never = windows((93.0, 2706))
    assert np.isnan(stall.open_in_stall(never))
    assert np.isnan(stall.restored_s(never))


def test_repair_counts_from_the_loss_until_the_mobile_has_all_up_to_it():
    run = outcome(
        [sent(1.0, 0), sent(2.0, 1), sent(3.0, 2), said(4.0, 1), sent(5.0, 1), said(7.5, 3)],
        flows=(FLOW, FLOW),
    )
    segments = run.tables["segments"]
    got = segments.filter(segments["uid"].is_in([0, 2, 4])).with_columns(
        event=pl.lit("received"), endpoint=pl.lit("mobile:1")
    )
    both = pl.concat([segments, got])
    other = both.with_columns(flow=pl.lit(1))
    run = Outcome(run.result, {"segments": pl.concat([both, other])})
    assert recovery.repairs_s(run) == [5.5, 5.5]
    assert recovery.both_s(run) == 8.0


def test_what_skipack_repairs_is_counted_beside_timeouts():
    events = [(1.0, 0, 0, "retransmitted_skipped", 0)] * 3
    events += [(1.0, 0, 0, "retransmitted_timeout", 0), STALLED]
    run = outcome([sent(0.0, 0)], middlebox_events=events)
    runs = dict.fromkeys(recovery.runs("bursts of 2 packets", "atcp"), run)
    assert recovery.by_skipack(runs, "bursts of 2 packets") == 75


def test_timer_is_from_one_retransmission_to_the_next(monkeypatch):
    monkeypatch.setattr(plain, "LOST_TWICE", 1)
    run = outcome([sent(1.0, 0), sent(2.0, 1), sent(6.0, 0), sent(20.0, 0)])
    assert plain.timer_s(run) == 14.0


def test_gain_of_persistent_connections_is_beside_that_of_others(monkeypatch):
    times = {"http/1.0": (10.0, 9.0), "http/1.1": (10.0, 7.0)}
    monkeypatch.setattr(applications, "page_s", lambda *of: times[of[2]][of[3] != ()])
    assert applications.enhanced({}) == pytest.approx([20.0] * 3)
    assert applications.gains("http/1.0")({}) == pytest.approx([-10.0] * 3)


def named(name):
    return PAPER.wrong_models[name].change


def test_wrong_models_change_only_what_they_are_of():
    queue, radio = point(FIFO, size(5)), point("gprs-3+1", size(5))
    assert named("link control gives up")(queue) == queue
    assert ("radio.gprs.lifetime", "2 s") in named("link control gives up")(radio).settings
    assert named("threshold of 4")(radio) == radio
    boxed = point("gprs-3+1", size(5), short.BOX)
    assert named("window of 10 KB")(boxed) == boxed
    assert dict(named("I-TCP")(boxed).settings)["middlebox.kind"] == "i-tcp"
    assert not any("atcp" in key for key, _ in named("I-TCP")(boxed).settings)
    assert named("a plain queue")(radio).scenario == queue.scenario
    assert named("a radio")(queue).scenario == radio.scenario


def test_stalls_are_the_radios_or_the_links():
    assert stall.stalled(FIFO) == (("link.outages", [["90 s", "100 s"]]),)
    assert stall.stalled("gprs-3+1", 30, 5)[0][0] == "radio.outages"


def test_shares_by_tickets_are_a_ratio(monkeypatch):
    monkeypatch.setattr(sharing, "rates", lambda _: (2.0, 1.0))
    assert sharing.by_tickets(outcome()) == 2.0
    assert sharing.fairness(outcome()) == pytest.approx(0.9)


def test_fin_is_early_if_the_sender_hears_first():
    fin = (5.0, "sent", "host:1", "receiver", 1 + MSS, 1, 0, 0x11)

    def heard(time_s):
        return (time_s, "received", "host:1", "sender", 1, 2 + MSS, 0, 0x10)

    last = (8.0, "sent", "mobile:1", "sender", 1, 2 + MSS, 0, 0x10)
    assert laws.fin_early_s(outcome([sent(0.0, 0), fin, heard(6.0), last])) == 2.0
    assert laws.fin_early_s(outcome([sent(0.0, 0), fin, last, heard(9.0)])) == -1.0
