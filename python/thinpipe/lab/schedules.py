"""Lists in order of time that settings have, and how something more goes among them.

Times are whole nanoseconds here, as in a run.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from thinpipe import _core
from thinpipe.values import as_toml

Entry = Mapping[str, Any]
Change = Callable[[Any], Any]

USUAL_GAP: Final = 200_000_000
"""Of a hard handover that gives none (`USUAL_GAP` in `crates/radio/src/umts/dch.rs`)."""


def nanoseconds(text: str) -> int:
    """Return a time with a unit, as a scenario writes it."""
    return round((_core.number("link.delay", text) or 0.0) * 1e9)


def written(time: int) -> str:
    """Return a time as a setting takes it: ``12.5 s``."""
    return f"{Decimal(time).scaleb(-9).normalize():f} s"


def read(text: str) -> list[Any]:
    """Return the members of a list that a setting has; numbers and switches are such."""
    found: list[Any] = tomllib.loads(f"value = {text}")["value"]
    return [
        {name: _plain(value) for name, value in each.items()} if isinstance(each, dict) else each
        for each in found
    ]


def _plain(value: object) -> object:
    """Return a number or a switch in quotes without them: a scenario takes no quotes there."""
    try:
        plain: object = tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return value
    return plain if isinstance(plain, bool | int | float) else value


def with_span(text: str, start: int, end: int) -> str:
    """Return a list of times from and to with one more; those that overlap become one."""
    spans = [(nanoseconds(one), nanoseconds(other)) for one, other in read(text)]
    united = _united([*spans, (start, end)])
    return as_toml("spans", [[written(one), written(other)] for one, other in united])


def with_spike(text: str, start: int, end: int) -> str:
    """Return a list of ``at`` and ``lasts`` with one more; those that overlap become one."""
    spans = [
        (nanoseconds(each["at"]), nanoseconds(each["at"]) + nanoseconds(each["lasts"]))
        for each in read(text)
    ]
    united = _united([*spans, (start, end)])
    entries = [{"at": written(one), "lasts": written(other - one)} for one, other in united]
    return as_toml("spikes", entries)


def with_entry(text: str, entry: Entry) -> str:
    """Return a list of steps with one more, after those of the same time."""
    return as_toml("steps", sorted([*read(text), entry], key=_at))


def with_handover(text: str, entry: Entry) -> str:
    """Return a list of handovers with one more; each waits until the one before it is over."""
    placed, over = [], 0
    for each in sorted([*read(text), entry], key=_at):
        start = max(_at(each), over)
        placed.append({**each, "at": written(start)})
        over = start + _gap(each)
    return as_toml("handovers", placed)


def with_step(
    own: str, field: str, base: str, change: Change, start: int, end: int, shared: str = "[]"
) -> str:
    """Return a schedule in which a value is another for a time, and then what it would be.

    Parameters
    ----------
    own
        The schedule.
    field, base
        The value's name in it, and what it is at first.
    change
        Returns what becomes of a value that the schedule has in that time.
    shared
        A schedule that counts as well; `own` takes precedence at equal times.
    """
    course = sorted([*read(shared), *read(own)], key=_at)
    kept = changed(own, field, change, start, end)
    steps = [
        {"at": written(start), field: change(_value(course, field, base, start))},
        {"at": written(end), field: _value(course, field, base, end)},
    ]
    return as_toml("schedule", sorted([*kept, *steps], key=_at))


def changed(text: str, field: str, change: Change, start: int, end: int) -> list[Entry]:
    """Return the steps of a schedule; a value changes in those between two times."""
    return [
        _in_one_form({**each, field: change(each[field])}, "sf" if field == "rate" else "rate")
        if field in each and start < _at(each) < end
        else _in_one_form(each)
        for each in read(text)
    ]


def _in_one_form(step: Entry, other: str = "rate") -> Entry:
    """Return a step that tells both rate and spreading factor without the `other` of them."""
    both = "rate" in step and "sf" in step
    return {name: each for name, each in step.items() if not (both and name == other)}


def _value(course: Iterable[Entry], field: str, base: str, time: int) -> object:
    """Return what a value is at a time."""
    values = [each[field] for each in course if field in each and _at(each) <= time]
    return values[-1] if values else _plain(base)


def _united(spans: Iterable[tuple[int, int]]) -> Sequence[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def _at(entry: Entry) -> int:
    return nanoseconds(entry["at"])


def _gap(handover: Entry) -> int:
    if handover.get("kind", "hard") != "hard":
        return 0
    gap = handover.get("gap", "as kind")
    return USUAL_GAP if gap == "as kind" else nanoseconds(gap)
