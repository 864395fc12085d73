"""A break is the scenario with that one change: it runs, and has the same past."""

from __future__ import annotations

from functools import cache
from typing import Any

import hypothesis
import polars as pl
import pytest
from hypothesis import strategies as st
from thinpipe.inputs import values_of
from thinpipe.lab import schedules
from thinpipe.lab.breaks import KINDS, Done, broken, possible
from thinpipe.lab.catalogue import Catalogue
from thinpipe.lab.copying import copies
from thinpipe.lab.experiment import Laboratory
from thinpipe.lab.request import Break, Request, RequestError, Settings
from thinpipe.point import Point
from thinpipe.run import Run, run_point

TABLES = ("cwnd", "rtt", "events")
DURATION_S = 12.0

SCHEDULED: dict[str, Settings] = {
    "plain-384": (
        ("link.schedule", '[{at = "2 s", rate = "200 kbit/s", delay = "90 ms"}, {at = "4 s", '
         'rate = "500 kbit/s", loss = "1 %"}, {at = "7 s", delay = "60 ms"}]'),
        ("link.outages", '[["3 s", "4 s"], ["6 s", "6.5 s"]]'),
        ("link.back.outages", '[["5 s", "5.5 s"]]'),
        ("link.drop_arrivals", "[40, 20]"),
    ),
    "satellite-geo": (("flow.direction", "uplink"),),
    "umts-384": (
        ("radio.schedule", '[{at = "2 s", sf = 16, tbler = "5 %"}, {at = "4 s", coverage = false, '
         'rate = "128 kbit/s"}, {at = "5 s", coverage = true, tbler = "1 %"}]'),
        ("radio.downlink.schedule", '[{at = "3 s", tbler = "10 %"}, {at = "4 s", rate = '
         '"256 kbit/s"}, {at = "6 s", sf = 8}]'),
        ("radio.spikes", '[{at = "3 s", lasts = "1 s"}, {at = "8 s", lasts = "2 s"}]'),
        ("radio.handovers", '[{at = "1 s", kind = "soft"}, {at = "6 s"}, {at = "6.2 s", '
         'gap = "1 s"}]'),
    ),
    "gprs-4+1": (
        ("radio.outages", '[["3 s", "4 s"], ["6 s", "6.5 s"]]'),
        ("radio.outage.every", "4 s"),
        ("radio.reselections", '[{at = "5 s", forward = "20 %"}]'),
    ),
    "geo-12-3-lossy": (("radio.outages", '[["3 s", "4 s"], ["6 s", "6.5 s"]]'),),
    "leo-15s": (
        ("radio.downlink.rate", "2 Mbit/s"),
        ("radio.leo.slot", "2 s"),
        ("radio.outages", '[["3 s", "4 s"], ["6 s", "6.5 s"]]'),
    ),
}  # fmt: skip
"""What scenarios have already; a law that holds only for empty lists would be none."""

OTHERS: tuple[Settings, ...] = (
    (),
    (("flow.count", "3"),),
    (("tcp.variant", "bbr"),),
)
BOXES: dict[str, tuple[Settings, ...]] = {
    name: tuple((("middlebox.kind", kind),) for kind in ("atcp", "snoop", "split"))
    for name in ("umts-384", "umts-384-lossy", "umts-dch-384", "gprs-4+1", "edge-4+1")
}
QUEUES: dict[str, tuple[Settings, ...]] = {
    name: tuple((("queue.kind", kind),) for kind in ("red", "codel"))
    for name in ("bottleneck", "plain-384", "satellite-geo")
}

NAMES = (
    "bottleneck", "plain-384", "satellite-geo", "wlan-11b-fringe", "gprs-fifo", "gprs-3+1",
    "gprs-4+1", "edge-4+1", "umts-384", "umts-384-lossy", "umts-dch-384", "umts-thesis",
    "geo-12-3-lossy", "leo-15s", "satcom-edge",
)  # fmt: skip


def point_of(name: str, given: Settings) -> Point:
    return Point.of(name, {"duration": f"{DURATION_S:g} s", **dict(given)})


@cache
def run_of(point: Point) -> Run:
    return run_point(point, trace=True)


def break_in(name: str, given: Settings, breaks: list[Break]) -> tuple[Settings, list[Done]]:
    return broken(given, breaks, 0, lambda settings: point_of(name, settings), run_of)


def past(run: Run, table: str, end_s: float) -> pl.DataFrame:
    """Return rows of a table before a time.

    Whether a timeout was spurious shows later, so both are one word here.
    """
    rows: pl.DataFrame = getattr(run, table)
    before = rows.filter(rows["time_s"] < end_s)
    if table != "events":
        return before
    return before.with_columns(pl.col("event").cast(str).replace("spurious_timeout", "timeout"))


@cache
def steps(text: str) -> list[tuple[int, Any]]:
    """Return the time in ns and the entry of each step of a schedule."""
    return [(schedules.nanoseconds(each["at"]), each) for each in schedules.read(text)]


def value_at(text: str, field: str, base: Any, time: int) -> Any:
    held = base
    for at, each in steps(text):
        if field in each and at <= time:
            held = each[field]
    return held


@st.composite
def happenings(draw: st.DrawFn) -> tuple[str, Settings, Break]:
    name = draw(st.sampled_from(NAMES))
    more = draw(st.sampled_from([*OTHERS, *BOXES.get(name, ()), *QUEUES.get(name, ())]))
    given = draw(st.sampled_from([(), SCHEDULED.get(name, ())])) + more
    kinds = [kind for kind in KINDS if kind.sizes(values_of(point_of(name, given))) is not None]
    kind = draw(st.sampled_from(kinds))
    whole = st.integers(0, int(DURATION_S) - 1).map(float)
    at_s = draw(whole | st.floats(0, DURATION_S, exclude_max=True))
    sizes = kind.sizes(values_of(point_of(name, given))) or ()
    chosen = [
        (size.name, draw(st.just(size.value) | st.floats(size.least, size.most))) for size in sizes
    ]
    return name, given, Break(kind.name, at_s, tuple(chosen))


@hypothesis.settings(deadline=None)
@hypothesis.given(happenings())
def test_a_break_runs_and_has_the_past_of_the_run_without_it(
    happening: tuple[str, Settings, Break],
) -> None:
    name, given, asked = happening
    changed, [done] = break_in(name, given, [asked])
    before, after = run_of(point_of(name, given)), run_point(point_of(name, changed), trace=True)
    for table in TABLES:
        assert past(before, table, done.at_s).equals(past(after, table, done.at_s)), table


@hypothesis.settings(deadline=None, max_examples=50)
@hypothesis.given(
    field=st.sampled_from(["rate", "delay", "loss"]),
    at_s=st.integers(0, 100).map(lambda tenths: tenths / 10),
    lasts_s=st.integers(1, 100).map(lambda tenths: tenths / 10),
)
def test_a_step_leaves_what_the_schedule_has_before_and_after(
    field: str, at_s: float, lasts_s: float
) -> None:
    given = SCHEDULED["plain-384"]
    name = {"rate": "rate", "delay": "delay", "loss": "errors"}[field]
    changed, [done] = break_in("plain-384", given, [Break(name, at_s, (("lasts", lasts_s),))])
    texts = [values_of(point_of("plain-384", each))["link.schedule"] for each in (given, changed)]
    start, end = round(done.at_s * 1e9), round(done.until_s * 1e9)
    for other in ("rate", "delay", "loss"):
        for tenth in range(210):
            time = tenth * 100_000_000
            was, now = (value_at(text, other, "as link", time) for text in texts)
            if other == field and start <= time < end:
                assert now != was
            elif now != was:  # what it returns to before the schedule has any is the link's own
                own = {"rate": "384 kbit/s", "delay": "60 ms", "loss": 0}
                assert (was, now) == ("as link", own[other])


def test_schedules_of_both_directions_of_a_bearer_are_one_course() -> None:
    given = SCHEDULED["umts-384"]
    changed, _ = break_in("umts-384", given, [Break("errors", 2.5, (("lasts", 2.0),))])
    values = values_of(point_of("umts-384", changed))
    assert schedules.read(values["radio.schedule"]) == [
        {"at": "2 s", "sf": 16, "tbler": 0.05, "rate": "240 kbit/s"},
        {"at": "4 s", "coverage": False, "rate": "128 kbit/s"},
        {"at": "5 s", "coverage": True, "tbler": 0.01},
    ]
    down, up = (schedules.read(values[f"radio.{way}.schedule"]) for way in ("downlink", "uplink"))
    assert [(each["at"], each.get("tbler")) for each in down] == [
        ("2500 ms", 0.2), ("3 s", 0.2), ("4 s", None), ("4500 ms", 0.1), ("6 s", None),
    ]  # fmt: skip
    assert [(each["at"], each["tbler"]) for each in up] == [("2500 ms", 0.2), ("4500 ms", 0.05)]


def test_spans_that_overlap_become_one() -> None:
    assert schedules.with_span(
        '[["3 s", "4 s"], ["6 s", "7 s"]]', 3_500_000_000, 6_000_000_000
    ) == ('[["3 s", "6 s"], ["6 s", "7 s"]]')


def test_the_usual_gap_is_that_of_a_bearer() -> None:
    def after(gap: int) -> Point:
        text = f'[{{at = "1 s"}}, {{at = "{schedules.written(1_000_000_000 + gap)}"}}]'
        return Point.of("umts-384", {"radio.handovers": text})

    values_of(after(schedules.USUAL_GAP))
    with pytest.raises(ValueError, match="before the last one ends"):
        values_of(after(schedules.USUAL_GAP - 1))


def test_handovers_wait_for_each_other() -> None:
    changed, _ = break_in("umts-384", (), [Break("handover", 5.0), Break("handover", 5.1)])
    assert [each["at"] for each in schedules.read(dict(changed)["radio.handovers"])] == [
        "5 s",
        "5.2 s",
    ]


def test_the_packet_at_the_cursor_is_dropped_and_no_other() -> None:
    for name, given in (("bottleneck", ()), ("plain-384", SCHEDULED["plain-384"])):
        for at_s in (0.0, 1.5, 2.25, 7.0):
            changed, [done] = break_in(name, given, [Break("drop", at_s)])
            was = run_of(point_of(name, given)).hops
            now = run_of(point_of(name, changed)).hops
            drops = [
                each.filter((each["event"] == "dropped") & (each["time_s"] <= done.at_s))
                for each in (was, now)
            ]
            [lost] = drops[1].join(drops[0], on=["time_s", "uid"], how="anti").iter_rows(named=True)
            assert lost["time_s"] == done.at_s
            entered = now.filter(
                (pl.col("machine") == "bottleneck/down")
                & (pl.col("event") == "entered")
                & (pl.col("uid") == lost["uid"])
            )
            assert entered["time_s"].to_list() == [done.at_s]
            closest = was.filter(
                (pl.col("machine") == "bottleneck/down") & (pl.col("event") == "entered")
            )["time_s"]
            assert abs(done.at_s - at_s) <= (closest - at_s).abs().sort()[5]


def test_an_upload_loses_the_packet_that_goes_up() -> None:
    changed, _ = break_in("satellite-geo", SCHEDULED["satellite-geo"], [Break("drop", 5.0)])
    assert "link.back.drop_arrivals" in dict(changed)
    assert "link.drop_arrivals" not in dict(changed)


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("bottleneck", ["black-out", "delay", "rate", "errors", "drop"]),
        ("umts-384", ["black-out", "delay", "rate", "errors", "handover"]),
        ("gprs-3+1", ["black-out", "reselection"]),
        ("leo-15s", ["black-out"]),
        ("satcom-edge", ["black-out"]),
        ("umts-handover", []),
        ("hmipv6-handover", []),
    ],
)
def test_a_scenario_offers_what_can_happen_in_it(name: str, names: list[str]) -> None:
    assert [each["name"] for each in possible(values_of(Point.of(name)))] == names


def test_a_mobile_that_is_warned_of_a_black_out_has_the_past_until_the_warning() -> None:
    given = (("tcp.freeze.warning", "1 s"),)
    changed, [done] = break_in("umts-384", given, [Break("black-out", 5.0)])
    assert done.said == "Black-out at 5 s, of which the mobile is warned 1 s ahead"
    before, after = (run_of(point_of("umts-384", each)) for each in (given, changed))
    assert past(before, "rtt", 4.0).equals(past(after, "rtt", 4.0))
    assert not past(before, "rtt", 5.0).equals(past(after, "rtt", 5.0))


def test_letters_of_breaks_differ() -> None:
    assert len({kind.letter for kind in KINDS}) == len(KINDS)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"name": "handover", "at_s": 1}, "break handover: this scenario offers black-out, delay"),
        ({"name": "black-out", "at_s": -1}, "at_s must be from 0"),
        ({"name": "black-out", "at_s": 10**400}, "at_s must be a number"),
        ({"name": "black-out", "at_s": True}, "at_s must be a number"),
        (
            {"name": "black-out", "at_s": 1, "sizes": {"lasts": 0}},
            "lasts must be 0.01 to 300, not 0",
        ),
        ({"name": "black-out", "at_s": 1, "sizes": [1]}, "sizes must be an object"),
        ({"name": 1, "at_s": 1}, "must be a text"),
        ("black-out", "must be an object"),
    ],
)
def test_a_break_that_there_is_not_is_one_line(asked: object, said: str) -> None:
    laboratory = Laboratory(Catalogue({}))
    with pytest.raises(RequestError, match=said) as caught:
        laboratory.answer(Request.of({"scenario": "bottleneck", "breaks": [asked]}), lambda: False)
    assert "\n" not in str(caught.value)


def test_an_answer_has_the_run_before_the_breaks_and_a_rule_at_each() -> None:
    laboratory = Laboratory(Catalogue({}))
    message = {
        "scenario": "plain-384",
        "set": {"duration": "20 s"},
        "variants": [{"tcp.variant": "reno"}, {"tcp.variant": "vegas"}],
        "breaks": [{"name": "black-out", "at_s": 5}, {"name": "drop", "at_s": 12}],
    }
    request = Request.of(message)
    answer = laboratory.answer(request, lambda: False)
    plain = laboratory.answer(Request.of({**message, "breaks": []}), lambda: False)
    assert [(run["number"], run["ghost"]) for run in answer["runs"]] == [
        (0, False), (1, False), (0, True), (1, True),
    ]  # fmt: skip
    for was, ghost in zip(plain["runs"], answer["runs"][2:], strict=True):
        assert ghost["goodput_bps"] == was["goodput_bps"]
    for run, ghost in zip(answer["runs"][:2], answer["runs"][2:], strict=True):
        assert run["goodput_bps"] < ghost["goodput_bps"]
        assert run["timeouts"] > ghost["timeouts"]
    drop = answer["breaks"]["done"][1]
    for panel in answer["panels"]:
        rules = [layer["x"] for layer in panel["layers"] if layer["kind"] == "rules"]
        assert rules == [[5.0, 10.0], [drop["at_s"]]]
    assert copies(laboratory, request)["command"].count("link.outages") == 2
    assert not any(
        layer["kind"] == "rules" for panel in plain["panels"] for layer in panel["layers"]
    )
