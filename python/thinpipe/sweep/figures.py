"""The figures of a run as one row."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

Figures = dict[str, int | float | str | bool | None]
"""Figures by name; a dot leads to the figures of a part: ``rtt_s.mean``."""

OF_ANOTHER_KIND: Final = frozenset({"scenario", "seed", "wall_s", "flows", "links"})
"""What a row has elsewhere, or what is not the same when a run is repeated."""

NO_SUM: Final = frozenset({"id", "min", "max"})
"""Whole numbers that make no sense added up."""

SUMMED: Final = frozenset({"goodput_bps", "network.throughput_bps", "normalized_throughput"})
"""Figures beside counts that do."""


def figures_of(run_json: str) -> Figures:
    """Return all numbers of ``thinpipe run --json`` but the time on the clock.

    Those of the first flow stand under their own names. ``flows.`` and ``links.`` are totals over
    all of them, ``links.NAME.`` is one link.
    """
    run = json.loads(run_json)
    flows, links = ([dict(_flat("", each)) for each in run[kind]] for kind in ("flows", "links"))
    row: Figures = {name: value for name, value in flows[0].items() if name != "id"}
    for key, part in run.items():
        if key not in OF_ANOTHER_KIND:
            row |= _flat(key, part)
    row["flows.count"] = len(flows)
    row |= {f"flows.{name}": value for name, value in _totals(flows).items()}
    row |= {f"links.{name}": value for name, value in _totals(links).items()}
    for link in links:
        here = f"links.{link['name']}"
        row |= {f"{here}.{name}": value for name, value in link.items() if name != "name"}
    return row


def _flat(name: str, value: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - JSON
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _flat(f"{name}.{key}" if name else key, part)
    elif isinstance(value, list):
        for number, part in enumerate(value):
            key = part.get("name", number) if isinstance(part, Mapping) else number
            yield from _flat(f"{name}.{key}", part)
    else:
        yield name, value


def _totals(parts: list[dict[str, Any]]) -> Figures:
    """Return the sums of what can be added up, over the parts that have it."""
    totals: Figures = {}
    for part in parts:
        for name, value in part.items():
            counted = type(value) is int and name.rpartition(".")[2] not in NO_SUM
            if counted or name in SUMMED:
                before: Any = totals.get(name)
                totals[name] = before if value is None else value + (before or 0)
    return totals
