"""Breaks: one thing that goes wrong at a time, which a run is repeated with.

Each kind of break knows in which scenarios it can happen, and which of their settings it is. What
a scenario's lists have already stays: a break is one entry more, in its place in time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from thinpipe.inputs import values_of
from thinpipe.lab import schedules
from thinpipe.lab.arrivals import Arrival, nearest
from thinpipe.lab.request import Break, RequestError, Settings
from thinpipe.sweep.parameters import column, resolved
from thinpipe.values import as_toml

if TYPE_CHECKING:
    from thinpipe.point import Point
    from thinpipe.recording import Recording

Values = Mapping[str, str]

BLACK_OUT: Final = "black-out"
"""Of which alone Freeze-TCP's mobiles are warned, so that it has effects before it."""


@dataclass(frozen=True, slots=True)
class Size:
    """How much of something a break is: a slider from `least` to `most`, at `value` at first.

    All are in seconds, bit/s or shares, of which `unit` says how they are shown.
    """

    name: str
    title: str
    unit: str
    least: float
    most: float
    value: float


@dataclass(frozen=True, slots=True)
class Happening:
    """A break at its time, with its sizes, in a scenario that has the values.

    Attributes
    ----------
    start, end
        In nanoseconds.
    arrival
        The packet at that time, for a break that needs one.
    """

    values: Values
    start: int
    end: int
    sizes: Mapping[str, float]
    arrival: Arrival | None = None


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of break.

    Attributes
    ----------
    letter
        What a keyboard has for it.
    sizes
        Returns its sizes in a scenario with the values; ``None`` if it cannot happen there.
    settings
        Returns what it sets.
    takes_packet
        Whether it happens to a packet, which the run without it tells.
    """

    name: str
    title: str
    letter: str
    sizes: Callable[[Values], Sequence[Size] | None]
    settings: Callable[[Happening], dict[str, str]]
    takes_packet: bool = False


@dataclass(frozen=True, slots=True)
class Done:
    """What a break did to a variant: from when to when, and in words."""

    name: str
    title: str
    at_s: float
    until_s: float
    said: str


def lasts(value: float, most: float = 300.0) -> Size:
    """Return how long a break lasts."""
    return Size("lasts", "for", "s", 0.01, most, value)


def _is_wired(values: Values) -> bool:
    return "link.outages" in values


def _is_bearer(values: Values) -> bool:
    return "radio.spikes" in values


def _is_slotted(values: Values) -> bool:
    return "radio.reselections" in values


def _black_out_sizes(values: Values) -> Sequence[Size] | None:
    known = _is_wired(values) or _is_bearer(values) or "radio.outages" in values
    return (lasts(5.0),) if known else None


def _black_out(happening: Happening) -> dict[str, str]:
    values, start, end = happening.values, happening.start, happening.end
    if _is_bearer(values):
        key = "radio.schedule"
        lost = schedules.with_step(values[key], "coverage", "true", lambda _: False, start, end)
        return {key: lost}
    keys = ["link.outages", "link.back.outages"] if _is_wired(values) else ["radio.outages"]
    return {key: schedules.with_span(values[key], start, end) for key in keys}


def _delay_sizes(values: Values) -> Sequence[Size] | None:
    if _is_bearer(values):
        return (lasts(3.0, 60.0),)
    if _is_wired(values):
        return Size("more", "by", "s", 0.001, 20.0, 1.0), lasts(3.0)
    return None


def _delay(happening: Happening) -> dict[str, str]:
    values, start, end = happening.values, happening.start, happening.end
    if _is_bearer(values):
        return {"radio.spikes": schedules.with_spike(values["radio.spikes"], start, end)}
    more = round(happening.sizes["more"] * 1e9)

    def longer(delay: str) -> str:
        return schedules.written(schedules.nanoseconds(delay) + more)

    at = _way(values)
    base = resolved(values)[f"{at}.delay"]
    key = f"{at}.schedule"
    return {key: schedules.with_step(values[key], "delay", base, longer, start, end)}


def _rate_sizes(values: Values) -> Sequence[Size] | None:
    at = _way(values)
    traced = values.get("link.trace.up" if at == "link.back" else "link.trace.down", "off")
    if f"{at}.schedule" not in values or traced != "off":
        return None
    [rate_bps] = column(f"{at}.rate", [resolved(values)[f"{at}.rate"]]).values
    limited = isinstance(rate_bps, int | float) and rate_bps < float("inf")
    usual = float(f"{rate_bps / 4:.3g}") if limited else 1e6
    most = 1e9 if _is_wired(values) else 2e6  # a dedicated channel has no more
    return Size("rate", "to", "bit/s", 1e3, most, min(max(usual, 1e3), most)), lasts(10.0)


def _rate(happening: Happening) -> dict[str, str]:
    values, at = happening.values, _way(happening.values)
    bps = round(happening.sizes["rate"])
    rate = f"{bps} bit/s" if bps % 1000 else f"{bps // 1000} kbit/s"
    base = resolved(values)[f"{at}.rate"]
    return _step(happening, f"{at}.schedule", "rate", base, rate)


def _errors_sizes(values: Values) -> Sequence[Size] | None:
    is_drawn = any(
        resolved(values).get(f"{at}.tbler_limits", "off") != "off"
        for at in ("radio.downlink", "radio.uplink")
    )
    if not (_is_wired(values) or _is_bearer(values)) or is_drawn:
        return None
    return Size("share", "to", "%", 0.001, 1.0, 0.2), lasts(10.0)


def _errors(happening: Happening) -> dict[str, str]:
    values, share = happening.values, f"{100 * happening.sizes['share']:.6g} %"
    if _is_wired(values):
        at = _way(values)
        return _step(happening, f"{at}.schedule", "loss", values[f"{at}.loss"], share)
    known = resolved(values)
    keys = {f"{at}.schedule": known[f"{at}.tbler"] for at in ("radio.downlink", "radio.uplink")}
    steps = [_step(happening, key, "tbler", base, share) for key, base in keys.items()]
    return {key: text for step in steps for key, text in step.items()}


def _step(happening: Happening, key: str, field: str, base: str, value: str) -> dict[str, str]:
    """Return a schedule with a value for a time, and that of both directions, if it counts too."""
    values, start, end = happening.values, happening.start, happening.end
    shared = "radio.schedule" if key.startswith("radio.") else ""
    others = values.get(shared, "[]")
    step = schedules.with_step(values[key], field, base, lambda _: value, start, end, others)
    if others == "[]":
        return {key: step}
    meanwhile = schedules.changed(others, field, lambda _: value, start, end)
    return {key: step, shared: as_toml(shared, meanwhile)}


def _handover(happening: Happening) -> dict[str, str]:
    key = "radio.handovers"
    gap = schedules.written(happening.end - happening.start)
    entry = {"at": schedules.written(happening.start), "kind": "hard", "gap": gap}
    return {key: schedules.with_handover(happening.values[key], entry)}


def _reselection(happening: Happening) -> dict[str, str]:
    key = "radio.reselections"
    long = schedules.written(happening.end - happening.start)
    entry = {"at": schedules.written(happening.start), "lasts": long}
    return {key: schedules.with_entry(happening.values[key], entry)}


def _drop(happening: Happening) -> dict[str, str]:
    if happening.arrival is None:
        raise AssertionError("a packet is dropped that nobody looked for")
    key = f"{happening.arrival.link}.drop_arrivals"
    numbers = {*schedules.read(happening.values[key]), happening.arrival.number}
    return {key: as_toml(key, sorted(numbers))}


def _way(values: Values) -> str:
    """Return the keys of the direction in which the data go."""
    is_up = values.get("flow.direction") == "uplink"
    if _is_wired(values):
        return "link.back" if is_up else "link"
    return "radio.uplink" if is_up else "radio.downlink"


KINDS: Final[tuple[Kind, ...]] = (
    Kind(BLACK_OUT, "Black-out", "o", _black_out_sizes, _black_out),
    Kind("delay", "Delay spike", "d", _delay_sizes, _delay),
    Kind("rate", "Rate step", "r", _rate_sizes, _rate),
    Kind("errors", "Losses", "l", _errors_sizes, _errors),
    Kind(
        "handover",
        "Hard handover",
        "h",
        lambda values: (lasts(0.2, 10.0),) if _is_bearer(values) else None,
        _handover,
    ),
    Kind(
        "reselection",
        "Cell reselection",
        "c",
        lambda values: (lasts(2.0, 60.0),) if _is_slotted(values) else None,
        _reselection,
    ),
    Kind(
        "drop",
        "Drop this packet",
        "p",
        lambda values: () if _is_wired(values) else None,
        _drop,
        takes_packet=True,
    ),
)


def possible(values: Values) -> list[dict[str, Any]]:
    """Return the breaks that can happen in a scenario with the values, as the page takes them."""
    found = [(kind, kind.sizes(values)) for kind in KINDS]
    return [
        {
            "name": kind.name,
            "title": kind.title,
            "letter": kind.letter,
            "sizes": [
                {name: getattr(size, name) for name in Size.__slots__}  # a frozen record
                for size in sizes
            ],
        }
        for kind, sizes in found
        if sizes is not None
    ]


def broken(
    settings: Settings,
    breaks: Sequence[Break],
    flow: int,
    point_of: Callable[[Settings], Point],
    run_of: Callable[[Point], Recording],
) -> tuple[Settings, list[Done]]:
    """Return settings with breaks, one after the other, and what each did.

    Parameters
    ----------
    flow
        Whose packet is dropped, if one is.
    point_of
        Returns the scenario with settings.
    run_of
        Runs it with traces.

    Raises
    ------
    RequestError
        If the scenario offers no such break, or there is no packet to drop.
    """
    done = []
    for each in breaks:
        point = point_of(settings)
        values = values_of(point)
        kind, sizes = _found(each, values)
        start = round(each.at_s * 1e9)
        arrival = nearest(run_of(point), flow, values, each.at_s) if kind.takes_packet else None
        end = start + max(1, round(sizes.get("lasts", 0.0) * 1e9))
        happening = Happening(values, start, end, sizes, arrival)
        sets = kind.settings(happening)
        settings = tuple({**dict(settings), **sets}.items())
        done.append(_done(kind, happening))
    return settings, done


def _found(asked: Break, values: Values) -> tuple[Kind, dict[str, float]]:
    """Return the kind of a break, and all its sizes."""
    can = [(kind, sizes) for kind in KINDS if (sizes := kind.sizes(values)) is not None]
    found = next(((kind, sizes) for kind, sizes in can if kind.name == asked.name), None)
    if found is None:
        known = ", ".join(kind.name for kind, _ in can) or "none"
        raise RequestError(f"break {asked.name}: this scenario offers {known}")
    kind, sizes = found
    given = dict(asked.sizes)
    for size in sizes:
        value = given.get(size.name, size.value)
        if not size.least <= value <= size.most:
            raise RequestError(
                f"break {asked.name}: {size.name} must be {size.least:g} to {size.most:g}, "
                f"not {value:g}"
            )
    return kind, {size.name: given.get(size.name, size.value) for size in sizes}


def _done(kind: Kind, happening: Happening) -> Done:
    if (arrival := happening.arrival) is not None:
        at_s, said = arrival.time_s, arrival.said
        return Done(kind.name, "Dropped packet", at_s, at_s, said)
    start_s, end_s = happening.start / 1e9, happening.end / 1e9
    warning = happening.values.get("tcp.freeze.warning", "off")
    is_warned = kind.name == BLACK_OUT and warning != "off"
    ahead = f", of which the mobile is warned {warning} ahead" if is_warned else ""
    said = f"{kind.title} at {start_s:.6g} s{ahead}"
    return Done(kind.name, kind.title, start_s, end_s, said)
