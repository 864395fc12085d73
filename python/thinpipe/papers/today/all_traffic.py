"""All traffic behind atcp: uploads at the subscriber's side, a rate that falls to a sixth."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from thinpipe.papers.outcomes import Outcome
from thinpipe.papers.today import autorate
from thinpipe.papers.today.setup import SEEDS
from thinpipe.papers.wrong import WrongModel
from thinpipe.point import Point
from thinpipe.run import run_point

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from thinpipe.group_result import Group
    from thinpipe.papers.paper import Outcomes

PACKET: Final = 1500
HEADERS: Final = 28
OTHERS: Final = 52
"""Bytes of a full packet, and of headers: of IP and UDP, and of TCP with time stamps."""

PING_BYTES: Final = 56 + HEADERS

BULK: Final = {"bytes": "unlimited", "count": 4}
PING: Final[dict[str, Any]] = {
    "application": "udp",
    "udp": {"payload": "56 B", "rate": "4480 bit/s"},
}
SELDOM: Final[dict[str, Any]] = {
    "application": "udp",
    "udp": {"payload": "56 B", "rate": "1792 bit/s"},
}
"""Ten pings a second, as the script of CAKE has them, and four."""

CALL: Final = {"application": "voip", "voip": {"codec": "amr-12.2"}}

UPLOADS: Final = ("alone", "none", "fair", "box", "narrow")
"""Ahead of the modem: nothing, without and with uploads; a fair queue in it; a box; one that is
told a third of the rate."""

UPLINKS_KBPS: Final = dict(zip(SEEDS, (256, 512, 1_000, 2_000, 4_000), strict=True))
"""The rate of the modem, by the seed: over a wire nothing else is left to chance."""

UPLOADS_SECONDS: Final = 60
UPLOADS_DELAY_S: Final = 0.03


def _settings(groups: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Return settings of groups of flows, and others."""
    flat: dict[str, Any] = {}
    for name, keys in groups.items():
        for key, value in keys.items():
            nested = value if isinstance(value, dict) else {"": value}
            flat |= {f"flow.group.{name}.{key}.{part}".rstrip("."): nested[part] for part in nested}
    return {"tcp.profile": "modern", "flow.count": 0, **flat, **more}


def _box(**keys: str) -> dict[str, str]:
    return {"middlebox.kind": "atcp", **{f"middlebox.atcp.{key}": keys[key] for key in keys}}


def uploads(name: str, seed: int) -> Point:
    """Return uploads of 60 ms round trip beside a call and pings, with that ahead of the modem."""
    way = {"direction": "uplink"}
    groups: dict[str, Any] = {"ping": {**PING, **way}, "call": {**CALL, **way}}
    if name != "alone":
        groups["bulk"] = {**BULK, **way}
    rate = f"{UPLINKS_KBPS[seed]} kbit/s"
    box = _box(role="subscriber", uplink_rate=rate, round_trip="60 ms")
    ahead: dict[str, dict[str, str]] = {
        "fair": {"queue.back.kind": "fq-codel"},
        "box": box,
        "narrow": {**box, "middlebox.atcp.uplink_rate": f"{UPLINKS_KBPS[seed] // 3} kbit/s"},
    }
    more: dict[str, Any] = {
        "duration": f"{UPLOADS_SECONDS} s",
        "seed": seed,
        "link.rate": "10 Mbit/s",
        "link.delay": f"{UPLOADS_DELAY_S} s",
        "link.back.rate": rate,
        "queue.back.packets": 1000,
        **ahead.get(name, {}),
    }
    return Point.of("plain-384", _settings(groups, more))


HIGH_BPS: Final = 384_000
LOW_BPS: Final = 64_000
STEP_S: Final = 30
RATES_BPS: Final = (HIGH_BPS, LOW_BPS, HIGH_BPS)
"""A rate that falls to a sixth and comes back, and for how long each stays."""

SETTLED_S: Final = 2.0
"""How soon after a step the delay is that of the window for the new rate."""

ROUND_TRIP_S: Final = {"downlink": 0.13, "uplink": 0.13}
"""Of the radio alone: what an operator or a subscriber measures."""

IDLE_S: Final = 0.06
"""What a ping takes one way alone."""

STEPS: Final = [
    {"at": f"{STEP_S * number} s", "rate": f"{rate} bit/s"}
    for number, rate in enumerate(RATES_BPS)
    if number
]

WAYS: Final = ("downlink", "uplink")
FOLLOWING: Final = ("radio", "westwood")
WINDOWS: Final = ("none", "static", "low", *FOLLOWING)
"""No box; a window that stays, for the high rate and for the low one; windows that follow."""


def sixth(way: str, name: str, seed: int) -> Point:
    """Return a flow that nobody can read alone over such a rate, behind that window."""
    groups = {
        "other": {
            "bytes": "unlimited",
            "encrypted": name != "none",
            "direction": way,
            "start": f"{100 * seed} ms",
        },
        "ping": {**SELDOM, "direction": way},
    }
    more: dict[str, Any] = {
        "duration": f"{STEP_S * len(RATES_BPS)} s",
        "seed": seed,
        f"radio.{way}.schedule": STEPS,
        "radio.uplink.rate": f"{HIGH_BPS} bit/s",
        "radio.uplink.tti": "10 ms",
    }
    if name != "none":
        estimator = name if name in FOLLOWING else "static"
        round_trip = f"{round(1000 * ROUND_TRIP_S[way])} ms"
        rate, role = ("rate", "network") if way == "downlink" else ("uplink_rate", "subscriber")
        told = f"{LOW_BPS if name == 'low' else HIGH_BPS} bit/s"
        more |= _box(role=role, estimator=estimator, round_trip=round_trip, **{rate: told})
        if name == "low":
            clamp = "clamp" if way == "downlink" else "uplink_clamp"
            more[f"middlebox.atcp.{clamp}"] = f"{2 * PACKET} B"
    return Point.of("umts-384", _settings(groups, more))


AHEAD: Final = ("none", "high", "low", "adapted", "patient", "static", "westwood", "radio")
"""Nothing; CAKE at 95 % of the high rate and of the low one, and with a rate that a script adapts,
as it ships and one that takes 0.2 s for late; boxes."""

STEERED: Final = SEEDS[:2]
"""Seeds of these runs: each decision of the script takes a run."""

CAKE: Final = ("high", "low", "adapted", "patient")

SHAPERS: Final = {
    "adapted": autorate.Shaper("Gi", "ping", LOW_BPS // 2, HIGH_BPS // 2, HIGH_BPS),
    "patient": autorate.Shaper("Gi", "ping", LOW_BPS // 2, HIGH_BPS // 2, HIGH_BPS, 0.2),
}


def ahead(name: str, seed: int) -> Point:
    """Return four uploads over such a rate, with that ahead of the modem.

    CAKE is a wire on the network's side, and the modem the downlink with the same rates.
    """
    is_cake = name in CAKE
    way = "downlink" if is_cake else "uplink"
    ping = {**PING, "udp": {**PING["udp"], "times": "constant"}, "direction": way}
    groups = {"bulk": {**BULK, "direction": way}, "ping": ping}
    more: dict[str, Any] = {
        "duration": f"{STEP_S * len(RATES_BPS)} s",
        "seed": seed,
        "queue.packets": 100,
        "radio.tbler": "5 %",
        "radio.uplink.rate": f"{HIGH_BPS} bit/s",
        "radio.uplink.tti": "10 ms",
        f"radio.{way}.schedule": STEPS,
    }
    if is_cake:
        more |= {"wired.Gi.queue.kind": "cake", "wired.Gi.queue.cake.rate": f"{HIGH_BPS} bit/s"}
        rate = {"high": HIGH_BPS, "low": LOW_BPS}.get(name)
        if rate is not None:
            more["wired.Gi.rate"] = f"{0.95 * rate:.0f} bit/s"
    elif name != "none":
        known = {"uplink_rate": f"{HIGH_BPS} bit/s", "round_trip": "90 ms"}
        more |= _box(role="subscriber", estimator=name, **known)
    return Point.of("umts-384", _settings(groups, more))


def group(outcome: Outcome, name: str) -> Group:
    """Return the results of a group."""
    (found,) = (each for each in outcome.result.groups if each.name == name)
    return found


def ping_s(outcome: Outcome) -> float:
    """Return the mean one-way delay of pings in s."""
    return group(outcome, "ping").delay_s.mean or 0.0


def bulk_bps(outcome: Outcome) -> float:
    """Return what uploads carry together, in bit/s."""
    return group(outcome, "bulk").goodput_bps or 0.0


def mos(outcome: Outcome) -> float:
    """Return the rating of the call."""
    (call,) = (flow.voip for flow in outcome.result.flows if flow.voip is not None)
    return call.mos or 1.0


def _of_fair(outcomes: Outcomes) -> Sequence[float]:
    runs = [[outcomes[uploads(name, seed)] for name in ("box", "fair")] for seed in SEEDS]
    return [100 * bulk_bps(box) / bulk_bps(fair) for box, fair in runs]


def _ping(outcomes: Outcomes) -> Sequence[float]:
    """Return pings there and back in percent of 1.2 times a fair queue's and a packet's time."""

    def value(name: str, seed: int) -> float:
        return ping_s(outcomes[uploads(name, seed)]) + UPLOADS_DELAY_S

    most = (1.2 * value("fair", seed) + 8 * PACKET / (1000 * UPLINKS_KBPS[seed]) for seed in SEEDS)
    return [100 * value("box", seed) / limit for seed, limit in zip(SEEDS, most, strict=True)]


def _lost_mos(outcomes: Outcomes, name: str = "box") -> Sequence[float]:
    alone = (mos(outcomes[uploads("alone", seed)]) for seed in SEEDS)
    beside = (mos(outcomes[uploads(name, seed)]) for seed in SEEDS)
    return [one - other for one, other in zip(alone, beside, strict=True)]


def pings(outcome: Outcome) -> pl.DataFrame:
    """Return when each ping was sent, and what it took."""
    (number,) = (flow.id for flow in outcome.result.flows if flow.group == "ping")
    of_ping = (pl.col("flow") == number) & pl.col("delay_s").is_not_null()
    return outcome.tables["datagrams"].filter(of_ping)


def allowed_s(way: str, rate_bps: float) -> float:
    """Return the longest that a ping takes with a window for that rate, in s.

    The radio's own time, the round trip and three tenths that the window is for, and three packets.
    """
    return IDLE_S + 1.3 * ROUND_TRIP_S[way] + 3 * 8 * PACKET / rate_bps


def settles_s(outcome: Outcome, way: str) -> float:
    """Return how long after a step of the rate the last ping is sent that takes too long, in s."""
    sent = pings(outcome)
    latest = 0.0
    for number, rate in enumerate(RATES_BPS):
        since = STEP_S * number
        span = pl.col("time_s").is_between(since, since + STEP_S, closed="left")
        late = sent.filter(span & (pl.col("delay_s") > allowed_s(way, rate)))
        if number and not late.is_empty():
            latest = max(latest, float(late["time_s"].to_numpy().max()) - since)
    return latest


def used(outcome: Outcome) -> float:
    """Return the least share of a rate that was used from two seconds after its step, in %."""
    data = outcome.tables["segments"].filter(
        (pl.col("event") == "received") & (pl.col("payload_bytes") > 0)
    )
    came = pings(outcome)["arrived_s"]
    shares = []
    for number, rate in enumerate(RATES_BPS):
        since, until = STEP_S * number + SETTLED_S, STEP_S * (number + 1) - 0.5
        span = data.filter(pl.col("time_s").is_between(since, until))["payload_bytes"]
        carried = int(span.cast(pl.Int64).sum()) + OTHERS * len(span)
        carried += PING_BYTES * int(came.is_between(since, until).sum())
        shares.append(100 * 8 * carried / (until - since) / rate)
    return min(shares)


def _settles(outcomes: Outcomes, way: str, name: str) -> Sequence[float]:
    return [settles_s(outcomes[sixth(way, name, seed)], way) for seed in SEEDS]


def _used(outcomes: Outcomes, way: str, name: str) -> Sequence[float]:
    return [used(outcomes[sixth(way, name, seed)]) for seed in SEEDS]


@cache
def adapted(name: str, seed: int) -> Outcome:
    """Return the run whose rate the script adapts."""
    seconds = STEP_S * len(RATES_BPS)
    run = run_point(autorate.steered(ahead(name, seed), SHAPERS[name], seconds))
    return Outcome(run.result, {"datagrams": run.datagrams})


def outcome_of(outcomes: Outcomes, name: str, seed: int) -> Outcome:
    """Return the run with that ahead of the modem."""
    return adapted(name, seed) if name in SHAPERS else outcomes[ahead(name, seed)]


def _of_adapted(outcomes: Outcomes, value: Callable[[Outcome], float]) -> Sequence[float]:
    """Return a value of the window by what arrives in percent of what the patient script has."""
    own, script = (
        [value(outcome_of(outcomes, name, seed)) for seed in STEERED]
        for name in ("westwood", "patient")
    )
    whole = sum(script) / len(script)
    return [100 * each / whole for each in own]


def _more_than_adapted(outcomes: Outcomes) -> Sequence[float]:
    return [percent - 100 for percent in _of_adapted(outcomes, bulk_bps)]


MEASURES: Final[dict[str, Callable[[Outcomes], Sequence[float]]]] = {
    "uplink-ping": _ping,
    "uplink-rate": _of_fair,
    "uplink-call": _lost_mos,
    "uplink-call-none": partial(_lost_mos, name="none"),
    "steered-ping": partial(_of_adapted, value=ping_s),
    "steered-rate": _more_than_adapted,
    **{
        f"sixth-{way}-{name}-{what}": partial(measure, way=way, name=name)
        for way in WAYS
        for name in FOLLOWING
        for what, measure in (("delay", _settles), ("used", _used))
    },
    **{f"sixth-{way}-stays": partial(_settles, way=way, name="static") for way in WAYS},
}

UPLOAD_POINTS: Final = tuple(uploads(name, seed) for name in UPLOADS for seed in SEEDS)

SIXTH_POINTS: Final = tuple(
    sixth(way, name, seed) for way in WAYS for name in WINDOWS for seed in SEEDS
)

AHEAD_POINTS: Final = tuple(
    ahead(name, seed) for name in AHEAD if name not in SHAPERS for seed in STEERED
)


def _instead(own: str, other: str) -> WrongModel:
    """Return the model in which what is ahead of the modem is another."""
    pairs = {uploads(own, seed): uploads(other, seed) for seed in SEEDS}
    return WrongModel(f"Ahead of the modem: {other}.", lambda point: pairs.get(point, point))


def _window(name: str) -> WrongModel:
    """Return the model with another window where the rate falls to a sixth."""
    pairs = {
        sixth(way, follows, seed): sixth(way, name, seed)
        for way in WAYS
        for follows in (*FOLLOWING, "static")
        for seed in SEEDS
    }
    pairs |= {ahead("westwood", seed): ahead(name, seed) for seed in STEERED if name in AHEAD}
    return WrongModel(f"The window of atcp is {name}.", lambda point: pairs.get(point, point))


WRONG_MODELS: Final = {
    "no box at the subscriber": _instead("box", "none"),
    "a box that is told a third": _instead("box", "narrow"),
    "a box that takes no uploads": _instead("none", "alone"),
    "one window for both rates": _window("static"),
    "the window of the low rate": _window("low"),
    "no window": _window("none"),
    "the script itself": WrongModel(
        "CAKE takes the place of the box.", values=lambda values: [0.0 for _ in values]
    ),
}
