"""The metrics of a run as one row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

Metrics = dict[str, int | float | str | bool | None]
"""Metrics by name; dots separate levels: ``rtt_s.mean``."""

EXCLUDED: Final = frozenset(
    {"schema", "version", "settings", "scenario", "seed", "flows", "links", "mobiles"}
    | {"hints", "made", "groups"}
)
"""Fields that other columns hold, that all runs share, or that are sentences.

Of mobiles, which may be many, the sums are in ``energy``.
"""

OF_EACH: Final = frozenset({"by_mobile"})
"""Lists within a part that may be as long as there are mobiles: they have no columns."""

NOT_ADDITIVE: Final = frozenset({"id", "min", "max"})
"""Integers whose sum has no meaning."""

ADDITIVE: Final = frozenset({"goodput_bps", "network.throughput_bps", "normalized_throughput"})
"""Other metrics whose sum has a meaning."""


def metrics_of(run: Mapping[str, Any]) -> Metrics:
    """Return all metrics of a run, given as ``thinpipe run --json`` prints it.

    Those of the first flow have no prefix. ``total.`` is before those of all flows together,
    ``groups.NAME.`` before those of a group, where there are several. ``flows.`` and ``links.`` are
    sums, ``links.NAME.`` is one link.
    """
    flows, links = ([dict(_flat("", each)) for each in run[kind]] for kind in ("flows", "links"))
    row: Metrics = {name: value for name, value in flows[0].items() if name != "id"}
    for key, part in run.items():
        if key not in EXCLUDED:
            row |= _flat(key, part)
    if len(run["groups"]) > 1:  # else they are the total
        row |= _flat("groups", run["groups"])
    row["flows.count"] = len(flows)
    row |= {f"flows.{name}": value for name, value in _totals(flows).items()}
    row |= {f"links.{name}": value for name, value in _totals(links).items()}
    for link in links:
        here = f"links.{link['name']}"
        row |= {f"{here}.{name}": value for name, value in link.items() if name != "name"}
    return row


def is_additive(name: str, *, is_whole: bool) -> bool:
    """Return whether the sum of a metric over flows or links has a meaning."""
    return name in ADDITIVE or (is_whole and name.rpartition(".")[2] not in NOT_ADDITIVE)


def _flat(name: str, value: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - JSON
    if isinstance(value, Mapping):
        for key, part in value.items():
            if key in OF_EACH:
                continue
            yield from _flat(f"{name}.{key}" if name else key, part)
    elif isinstance(value, list):
        for number, part in enumerate(value):
            key = part.get("name", number) if isinstance(part, Mapping) else number
            yield from _flat(f"{name}.{key}", part)
    else:
        yield name, value


def _totals(parts: list[dict[str, Any]]) -> Metrics:
    """Return the sums of additive metrics over the parts that have them."""
    totals: Metrics = {}
    for part in parts:
        for name, value in part.items():
            if is_additive(name, is_whole=type(value) is int):
                before: Any = totals.get(name)
                totals[name] = before if value is None else value + (before or 0)
    return totals
