"""A network in one line: rates, delays, losses and queues, from a scenario's values."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from thinpipe import _core
from thinpipe.counted import counted
from thinpipe.units import SECONDS

WAYS: Final = ("downlink", "uplink")


def outline(values: Mapping[str, str]) -> str:
    """Return rate, delay, loss and queue, down and up; for mobile IP its network."""
    if "mobile_ip.kind" in values:
        return _mobile(values)
    if (of_kind := OF_KIND.get(values.get("radio.kind", ""))) is not None:
        return of_kind(values)
    if "radio.tbler" in values:
        ways = ("radio.downlink", "radio.uplink")
        parts = {"": _rate, "delay ": _wired, "TTI ": _tti, "TBLER ": _blocks_in_error}
        if values["radio.kind"] == "umts-cell":
            parts[""] = _rate_at_most
        if values["radio.kind"] == "gprs":
            parts = {"": _slots, "delay ": _core_ms, "TBLER ": _slots_in_error}
    elif "link.rate" in values:
        ways = ("link", "link.back")
        parts = {"": _rate, "delay ": _delay, "loss ": _lost}
        for kind in ("reorder", "duplicate", "corrupt"):
            if any(float(values[f"{way}.{kind}"]) > 0 for way in ways):
                parts[f"{kind} "] = partial(_disordered, kind)
    else:
        return f"delay {_milliseconds(_wired_s(values))} each way"
    lines = [name + _each_way(*(part(values, way) for way in ways)) for name, part in parts.items()]
    queues = _each_way(*(_queue(values, at) for at in ("queue", "queue.back")))
    return "; ".join([*lines, f"queue {queues}", *_members(values), *_middlebox(values)])


def _satellite(values: Mapping[str, str]) -> str:
    """Return rates, the orbit and losses. Delays depend on where satellites are."""
    rates = _each_way(*(_rate(values, way) for way in ("radio.downlink", "radio.uplink")))
    queues = _each_way(*(_queue(values, at) for at in ("queue", "queue.back")))
    trace = values["radio.trace"]
    if trace != "off":
        parts = [f"{_recorded(trace)} (a rate that it does not have: {rates})"]
    else:
        ground = f"{_milliseconds(_ground_s(values))} each way on the ground"
        parts = [rates, _orbit(values), ground]
    if values["radio.beam.background"] != "0":
        parts.append(f"{_percent(values['radio.beam.background'])} of frames are other users'")
    if "radio.uplink.assignment.frame" in values:
        parts.append(f"capacity up on demand after {values['radio.uplink.assignment.wait']}")
    if "radio.gilbert_elliott.good" in values:
        parts.append(f"loss {_bursts(values)}")
    return "; ".join([*parts, f"queue {queues}", *_middlebox(values)])


def _orbit(values: Mapping[str, str]) -> str:
    if values["radio.recorded"] != "[]":
        return "delays as recorded"
    if values["radio.kind"] == "leo":
        height, slot = values["radio.leo.altitude"], values["radio.leo.slot"]
        orbit = f"satellites {_kilometres(height)} high, another each {slot}"
        detour = values["radio.leo.detour"]
        return orbit if detour == "0 s" else f"{orbit}, up to {detour} each way behind it"
    return f"a geostationary satellite at {values['radio.geo.elevation']}°"


def _scheduled(values: Mapping[str, str]) -> str:
    """Return what the mobiles can do, and how good their radio is. Rates follow from both."""
    if values["radio.kind"] == "lte":
        cell = f"category {values['radio.lte.category']} in {values['radio.lte.resource_blocks']}"
    else:
        slots = values.get("radio.nr.tdd.pattern", "two carriers")
        cell = f"{slots} at {values['radio.nr.spacing']} in {values['radio.nr.resource_blocks']}"
    ratios = _ratios(values)
    queues = _each_way(*(_queue(values, at) for at in ("queue", "queue.back")))
    parts = [f"{cell} resource blocks", f"SNR {ratios}"]
    if "radio.fading.deviation" in values:
        parts[-1] += f" ± {values['radio.fading.deviation']}"
    if (speed := values.get("radio.journey.speed")) is not None:
        near, sites = values["radio.journey.near"], _named(values, "radio.site")
        parts[-1] += f" at {near} from a site"
        parts.append(f"past {_counts({'site': sites})} at {speed}")
    if "radio.blockage.loss" in values:
        loss, blocked = values["radio.blockage.loss"], values["radio.blockage.blocked"]
        parts.append(f"blocked for {blocked} each {values['radio.blockage.clear']} by {loss}")
    if values["radio.background"] != "0":
        parts.append(f"{_percent(values['radio.background'])} of blocks are other users'")
    if (headroom := values["radio.uplink.headroom"]) != "off":
        parts.append(f"power up for one resource block and {headroom}")
    if speed is None and (every := values.get("radio.handover.every")) is not None:
        listed = json.loads(values["radio.handover.at"])
        parts.append(f"handovers at {', '.join(listed)}" if listed else f"handovers each {every}")
    parts += [*_asleep(values), f"delay {_milliseconds(_wired_s(values))} each way on wires"]
    codes = {key: code for key, code in values.items() if key.startswith("radio.bearer.")}
    parts += [
        f"bearer {key.split('.')[2]} for DSCP {code}"
        for key, code in codes.items()
        if key.endswith(".dscp")
    ]
    return "; ".join([*parts, f"queue {queues}", *_members(values), *_middlebox(values)])


def _hsdpa(values: Mapping[str, str]) -> str:
    """Return what the mobiles can do, and how good their radio is. Rates follow from both."""
    parts = [f"category {values['radio.hs.category']} down, {_rate(values, 'radio.uplink')} up"]
    parts.append(f"SNR {_ratio(values, 'radio', 'downlink')}")
    if "radio.fading.deviation" in values:
        parts[-1] += f" ± {values['radio.fading.deviation']}"
    queues = _each_way(*(_queue(values, at) for at in ("queue", "queue.back")))
    parts += [f"delay {_milliseconds(_wired_s(values))} each way on wires"]
    parts += [f"{values['radio.iub.delay']} over Iub", f"queue {queues}"]
    return "; ".join([*parts, *_members(values), *_middlebox(values)])


def _nb_iot(values: Mapping[str, str]) -> str:
    """Return what the mobiles can do and how far away they are. Rates follow from both."""
    queues = _each_way(*(_queue(values, at) for at in ("queue", "queue.back")))
    parts = [
        f"category {values['radio.category']}, coupling loss {values['radio.coupling_loss']}",
        *_asleep(values),
        f"delay {_milliseconds(_wired_s(values))} each way on wires",
        f"queue {queues}",
    ]
    return "; ".join([*parts, *_members(values), *_middlebox(values)])


def _asleep(values: Mapping[str, str]) -> list[str]:
    """Return when mobiles listen for pages: in windows, and until power saving mode, if at all."""
    said = []
    if (cycle := values.get("radio.edrx.cycle")) is not None:
        said.append(f"paged in {values['radio.edrx.window']} of each {cycle}")
    if (active := values.get("radio.psm.active")) is not None:
        said.append(f"asleep {active} after a connection")
    if (resume := values.get("radio.inactive.resume")) is not None:
        said.append(f"suspended after the tail, resumed in {resume}")
    return said


def _ground_s(values: Mapping[str, str]) -> float:
    return _wired_s(values) + _seconds(values["radio.ground"])


def _kilometres(metres: str) -> str:
    return f"{float(metres.removesuffix(' m')) / 1000:g} km"


def _bursts(values: Mapping[str, str]) -> str:
    good, bad = (_percent(values[f"radio.gilbert_elliott.{key}"]) for key in ("good", "bad"))
    return f"{good} and {bad} by turns"


def _mobile(values: Mapping[str, str]) -> str:
    """Return mobility protocol, WLAN, and counts. Delays depend on where mobiles are."""
    points = _named(values, "wlan.access_point")
    mobiles = _named(values, "wlan.mobile") + int(values["wlan.mobiles"])
    counts = _counts({"access point": points, "mobile": mobiles})
    kind = {"hmipv6": "Hierarchical Mobile IPv6", "mipv6": "Mobile IPv6"}[values["mobile_ip.kind"]]
    queues = _each_way(*(_queue(values, at) for at in ("queue", "queue.back")))
    air = f"802.11b at {values['wlan.rate']} within {values['wlan.range']}"
    return "; ".join([kind, air, f"queue {queues}", counts, *_middlebox(values)])


def _ratios(values: Mapping[str, str]) -> str:
    """Return the ratios of the mobiles that are listed, or of all."""

    def of(table: str) -> str:
        return _each_way(*(_ratio(values, table, way) for way in WAYS))

    listed = [key.split(".")[2] for key in values if re.fullmatch(r"radio\.ue\.[^.]+\.name", key)]
    if not listed:
        return of("radio")
    others = [f"others {of('radio')}"] if int(values["radio.ues"]) else []
    return ", ".join([*(f"{name} {of(f'radio.ue.{name}')}" for name in listed), *others])


def _ratio(values: Mapping[str, str], table: str, way: str) -> str:
    """Return a direction's ratio, or the recording of one, of a mobile or as it is of all."""
    trace, snr = (values[f"{table}.{way}.{key}"] for key in ("trace", "snr"))
    if snr == trace == "as radio":
        return _ratio(values, "radio", way)
    return snr if trace in ("off", "as radio") else _recorded(trace)


def _recorded(trace: str) -> str:
    """Return where a recording comes from."""
    if trace.startswith("shipped:"):
        return f"as in the trace {trace.removeprefix('shipped:')}"
    return f"as recorded in {trace}"


def _each_way(down: str, up: str) -> str:
    return f"{down} each way" if down == up else f"{down} down, {up} up"


def _value(values: Mapping[str, str], key: str) -> str:
    """Return a key's value, resolved if it follows another key."""
    value = values[key]
    other = value.removeprefix("as ")
    return _value(values, other) if value != other and other in values else value


def _rate(values: Mapping[str, str], way: str) -> str:
    trace = values.get("link.trace.up" if way == "link.back" else "link.trace.down", "off")
    if trace != "off":
        return _recorded(trace) + (", with its delays" if trace.startswith("shipped:") else "")
    rate = _value(values, f"{way}.rate")
    return "any rate" if rate == "unlimited" else rate


def _rate_at_most(values: Mapping[str, str], way: str) -> str:
    return f"at most {_rate(values, way)}"


def _slots(values: Mapping[str, str], way: str) -> str:
    slots = counted(int(values[f"{way}.slots"]), "slot")
    return f"{slots} of {values['radio.gprs.coding_scheme']}"


def _core_ms(values: Mapping[str, str], way: str) -> str:
    """Return the delay without set-up of temporary block flows, transmission and jitter."""
    core = values[f"radio.gprs.core.{way.removeprefix('radio.')}"]
    number, unit = core.split()
    return _milliseconds(_wired_s(values) + float(number) * SECONDS[unit])


def _slots_in_error(values: Mapping[str, str], _way: str) -> str:
    if values["radio.gprs.state"] != "given":
        return values["radio.gprs.state"]
    if "radio.gilbert_elliott.good" in values:
        return _bursts(values)
    carrier = values["radio.ci"]
    return _percent(values["radio.tbler"]) if carrier == "off" else f"by C/I of {carrier}"


def _members(values: Mapping[str, str]) -> list[str]:
    """Return the numbers of NodeBs and mobiles in a network of cells."""
    if values.get("radio.kind") != "umts-cell":
        return []

    node_bs = max(_named(values, "radio.node_b"), 1)
    mobiles = _named(values, "radio.ue") + int(values["radio.ues"])
    return [_counts({"NodeB": node_bs, "mobile": mobiles})]


def _named(values: Mapping[str, str], kind: str) -> int:
    return sum(key.startswith(f"{kind}.") and key.endswith(".name") for key in values)


def _counts(counts: Mapping[str, int]) -> str:
    return " and ".join(counted(n, word) for word, n in counts.items())


def _middlebox(values: Mapping[str, str]) -> list[str]:
    """Return the middlebox, if there is one."""
    kind, at = values.get("middlebox.kind", "none"), values.get("middlebox.at", "last")
    place = "" if at == "last" else f" at {at}"
    if kind == "atcp" and values.get("middlebox.atcp.role") == "subscriber":
        place = " at the subscriber"
    return [] if kind == "none" else [f"{kind} middlebox{place}"]


def _delay(values: Mapping[str, str], way: str) -> str:
    jitter = _seconds(values[f"{way}.jitter"])
    delay = _milliseconds(_wired_s(values) + _seconds(_value(values, f"{way}.delay")))
    return f"{delay} ± {_milliseconds(jitter)}" if jitter > 0 else delay


def _disordered(kind: str, values: Mapping[str, str], way: str) -> str:
    return _percent(values[f"{way}.{kind}"])


def _wired(values: Mapping[str, str], _way: str) -> str:
    return _milliseconds(_wired_s(values))


def _tti(values: Mapping[str, str], way: str) -> str:
    return values[f"{way}.tti"]


def _wired_s(values: Mapping[str, str]) -> float:
    delays = [
        _seconds(value)
        for key, value in values.items()
        if key.startswith("wired.") and key.endswith(".delay")
    ]
    return sum(delays)


def _seconds(time: str) -> float:
    number, unit = time.split()
    return float(number) * SECONDS[unit]


def _milliseconds(time_s: float) -> str:
    return f"{1000 * time_s:.6g} ms"


def _blocks_in_error(values: Mapping[str, str], way: str) -> str:
    cells = values["radio.kind"] == "umts-cell"
    if cells and values["radio.interference.error_rates"] == "from-place":
        return "by place"
    limits = _value(values, f"{way}.tbler_limits")
    if limits != "off":
        low, high = (_percent(limit) for limit in json.loads(limits))
        return f"{low} to {high}"
    return _percent(_value(values, f"{way}.tbler"))


def _lost(values: Mapping[str, str], way: str) -> str:
    p, r, good, bad = (
        float(values[f"{way}.gilbert_elliott.{key}"]) for key in ("p", "r", "loss_good", "loss_bad")
    )
    kinds = []
    if float(values[f"{way}.loss"]) > 0:
        kinds.append(_percent(values[f"{way}.loss"]))
    if p > 0 or good > 0:
        share = (good * r + bad * p) / (p + r) if p > 0 else good
        kinds.append(f"{_percent(share)} in bursts of {1 / r:.3g}" if p > 0 else _percent(share))
    return " and ".join(kinds) or "0 %"


def _percent(share: str | float) -> str:
    return f"{100 * float(share):.3g} %"


def _queue(values: Mapping[str, str], at: str) -> str:
    packets, size = (_value(values, f"{at}.{key}") for key in ("packets", "bytes"))
    kind = values[f"{at}.kind"]
    if packets == "as kind":
        packets = str(_core.queue_packets(kind))
    count = "1 packet" if packets == "1" else f"{packets} packets"
    limits = [
        *([] if packets == "unlimited" else [count]),
        *([] if size == "unlimited" else [size]),
    ]
    return " or ".join(limits or ["without limit"]) + ("" if kind == "droptail" else f" ({kind})")


OF_KIND: Final[Mapping[str, Callable[[Mapping[str, str]], str]]] = {
    "leo": _satellite,
    "geo": _satellite,
    "lte": _scheduled,
    "nr": _scheduled,
    "nb-iot": _nb_iot,
    "umts-hs": _hsdpa,
}
"""By kind of radio, where rates are not what its keys say."""
