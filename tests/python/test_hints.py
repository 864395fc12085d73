"""Hints: what explains a result and is easily overlooked."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import pytest
import thinpipe as tp
from thinpipe.point import Value


def hints(scenario: str, settings: Mapping[str, Value]) -> Sequence[str]:
    return tp.run(scenario, settings).result.hints


def test_two_variants_are_equal_for_the_reason_that_both_have() -> None:
    said = {
        variant: hints("umts-dch-384", {"tcp.variant": variant, "duration": "60 s"})
        for variant in ("reno", "cubic")
    }
    assert said["reno"] == said["cubic"]
    [hint] = said["reno"]
    assert hint.startswith("flow 0: limited by tcp.window (64 segments) for ")
    assert hint.endswith(" % of the time, not by congestion control")


def test_the_window_is_no_reason_where_it_is_never_reached() -> None:
    settings: dict[str, Value] = {"tcp.window": 1000, "link.loss": "2 %", "duration": "20 s"}
    assert hints("bottleneck", settings) == ()


def test_the_receiver_is_named() -> None:
    settings: dict[str, Value] = {
        "tcp.window": 1000,
        "tcp.receive_buffer": "6 kB",
        "flow.bytes": "unlimited",
    }
    [hint] = hints("bottleneck", settings)
    assert hint.startswith("flow 0: limited by the receiver's window (tcp.receive_buffer) for ")


SPLIT: Final[dict[str, Value]] = {"middlebox.kind": "split", "duration": "60 s"}

NARROW: Final[list[dict[str, Value]]] = [
    {"middlebox.split.receive_buffer": "3 kB", "middlebox.split.send_buffer": "3 kB"},
    {"middlebox.tcp.window": 2},
    {"tcp.receive_buffer": "3 kB"},
]
"""What keeps a middlebox from filling a radio of a long round trip."""


@pytest.mark.parametrize("narrow", NARROW)
def test_what_limits_a_middlebox_is_named(narrow: dict[str, Value]) -> None:
    [hint] = hints("satellite-geo", {**SPLIT, **narrow})
    assert hint.startswith("flow 0: limited by the window of the middlebox (middlebox.split.")
    named = hint.partition("(")[2].partition(")")[0]
    assert all(key.rpartition(".")[2] in named for key in narrow)


def test_a_middlebox_before_a_full_link_says_so() -> None:
    [hint] = hints("satellite-geo", SPLIT)
    assert hint.startswith("flow 0: limited by the window of the middlebox (the link behind it is")


def test_a_connection_that_is_given_up_says_so() -> None:
    settings: dict[str, Value] = {"link.outages": "[['0 s', '60 s']]", "tcp.max_retransmissions": 3}
    [hint] = hints("bottleneck", settings)
    assert hint.startswith("flow 0: given up by ")
    assert hint.endswith(" s, before anything arrived")


def test_a_size_of_pages_that_have_no_end_says_so() -> None:
    settings: dict[str, Value] = {"flow.application": "web", "flow.bytes": "100 kB"}
    said = hints("bottleneck", settings)
    assert "flow.bytes changes nothing without flow.application = file, mixed or udp" in said


def test_a_transfer_that_is_soon_complete_says_so() -> None:
    short = tp.run("bottleneck", {"flow.bytes": "50 kB"})
    [said] = [hint for hint in short.result.hints if "complete at" in hint]
    assert said == (
        f"flow 0: complete at {short.flows[0].completed_s:.3f} s of 60 s, as flow.bytes says: "
        "utilization, queues and normalized throughput are over the whole run"
    )
    assert hints("bottleneck", {"duration": "20 s"}) == ()


def test_a_run_that_is_too_short_says_so() -> None:
    [hint] = hints("umts-dch-384", {"duration": "0.1 s"})
    assert hint == "flow 0: nothing arrived before the end of the run at 0.1 s"
    assert hints("bottleneck", {"flow.count": 3, "flow.start": "59.999 s"}) == (
        "3 of 3 flows: nothing arrived before the end of the run at 60 s",
    )
    assert hints("bottleneck", {"flow.start": "70 s"}) == (
        "flow 0: sent nothing before the end of the run at 60 s",
    )


def test_a_transfer_that_takes_no_time_is_not_in_vain() -> None:
    [hint] = hints("link", {})
    assert hint == "flow 0: all arrived in no time, so that there is no goodput"
    assert hints("link", {"link.delay": "1 ms", "duration": "0.1 s"}) == ()


def test_timeouts_without_a_loss_are_named() -> None:
    spike = [{"at": "5 s", "lasts": "8 s"}]
    settings: dict[str, Value] = {"radio.spikes": spike, "duration": "30 s", "tcp.window": 10}
    said = hints("umts-dch-384", settings)
    assert "flow 0: most timeouts are spurious: segments are late, not lost" in said


SENDER = "tcp.variant, tcp.congestion_control or tcp.recovery"
QUEUE = "queue.kind or queue.back.kind"


@pytest.mark.parametrize(
    ("settings", "idle", "reason"),
    [
        ({"tcp.variant": "reno"}, {"tcp.vegas.alpha": 2}, f"without {SENDER} = vegas"),
        ({"tcp.variant": "vegas"}, {"tcp.reno.halving": "exact"}, f"without {SENDER} = reno"),
        ({"tcp.variant": "cubic"}, {"tcp.fack.window": "restarts"}, f"without {SENDER} = fack"),
        ({"tcp.spacing": "off"}, {"tcp.spacing_rtt": "base"}, "while tcp.spacing is off"),
        (
            {"tcp.share_state": "temporal"},
            {"tcp.resume_lifetime": "1 s"},
            "without tcp.share_state = careful",
        ),
        ({"tcp.variant": "reno"}, {"tcp.bbr.marks": "share"}, f"without {SENDER} = bbr"),
        ({"queue.kind": "droptail"}, {"queue.codel.target": "2 ms"}, f"without {QUEUE} = codel"),
        ({"queue.kind": "codel"}, {"queue.red.min_threshold": 3}, f"without {QUEUE} = red"),
        (
            {"queue.kind": "droptail"},
            {"queue.ecn": True},
            f"without {QUEUE} = red, codel, fq-codel or pie",
        ),
        ({"flow.count": 2}, {"queue.per_flow": True}, "without [radio]"),
        ({"flow.count": 2}, {"ftp.cap": "100 B"}, "without [mobile_ip]"),
        (
            {"flow.application": "udp", "flow.bytes": "90 kB"},
            {"flow.udp.on_time": "2 s"},
            "while flow.udp.off_time is 0 s",
        ),
        ({"flow.application": "udp"}, {"flow.abort": "3 s"}, "while flow.application is udp"),
        (
            {"flow.application": "udp"},
            {"flow.segments": 3},
            "without flow.application = file or mixed",
        ),
        (
            {"middlebox.kind": "none"},
            {"middlebox.atcp.headroom": 2},
            "without middlebox.kind = atcp",
        ),
    ],
)
def test_settings_that_change_nothing_are_named_and_change_nothing(settings, idle, reason):
    usual = tp.run("bottleneck", settings).result
    with_idle = tp.run("bottleneck", {**settings, **idle}).result
    assert with_idle.hints == (*usual.hints, f"{next(iter(idle))} changes nothing {reason}")
    assert replace(with_idle, settings=usual.settings, hints=usual.hints) == usual


def test_settings_of_a_discipline_or_variant_in_use_change_something() -> None:
    used: list[dict[str, Value]] = [
        {"queue.back.kind": "codel", "queue.codel.target": "2 ms"},
        {"tcp.variant": "vegas", "tcp.vegas.alpha": 2},
        {"tcp.congestion_control": "vegas", "tcp.recovery": "sack", "tcp.vegas.alpha": 2},
        {"tcp.congestion_control": "reno", "tcp.recovery": "fack", "tcp.fack.window": "restarts"},
        {"middlebox.kind": "snoop", "middlebox.snoop.max_tries": 3},
    ]
    for settings in used:
        assert not [hint for hint in hints("bottleneck", settings) if "changes nothing" in hint]
