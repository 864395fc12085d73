"""One digest for each run below, of its metrics, tables and captures.

A change of the code that is no change of the model leaves all of them as they are. `--check`
compares with ``tests/digests.txt``, `--write` replaces that file; without either they are printed.
Of those that moved, both name the facts of papers that run their scenarios: run them again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import struct
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import thinpipe
from thinpipe.papers.registry import registrations
from thinpipe.point import Point

LIST = Path(__file__).resolve().parent.parent / "tests" / "digests.txt"
SEEDS = (1, 2, 3)
VARIANTS = (
    "tahoe",
    "reno",
    "newreno",
    "sack",
    "fack",
    "vegas",
    "westwood",
    "cubic",
    "bbr",
    "wtcp",
    "copa",
)
SCHEMES = ("atcp", "snoop", "fda-like", "delayed-dupacks", "m-tcp", "w-tcp", "i-tcp", "split")
DISCIPLINES = ("red", "codel", "fair", "fq-codel", "pie", "dualpi2", "cake")
MOBILE_IP = ("mipv6", "hmipv6")

ENHANCED_PACKET = 6
COMMENT = 1
END_OF_OPTIONS = bytes(4)
"""Of a pcapng file: the kind of a block, the code of an option, and what ends those of a block."""

DURATION_S = {
    "umts-handover": 130,
    "dumbbell-100": 5,
    "lte-cat4": 5,
    "nr-tdd-100": 2,
    "nr-mmwave-blockage": 2,
}
"""Durations of scenarios that need more than the usual time, or less."""
USUAL_S = 20

LOSSY = {"radio.tbler": "10 %", "radio.rlc.mode": "um", "tcp.timestamps": "true"}
"""A radio that loses packets."""

SCALABLE = ("cubic", "dctcp", "prague")
MARKS = {"queue.kind": "red", "queue.ecn": "true", "tcp.ecn": "accurate", "flow.count": "3"}
"""A queue that marks, and senders that hear of each mark."""

DISORDER = {
    "link.jitter": "2 ms",
    "link.jitter_distribution": "normal",
    "link.reorder": "1 %",
    "link.duplicate": "1 %",
    "link.corrupt": "1 %",
}
"""A wire that does all that wires do; of `out-of-order` packets overtake each other."""

VARIATIONS: dict[str, list[dict[str, str]]] = {
    "umts-dch-384": [
        *({**LOSSY, "tcp.variant": variant} for variant in VARIANTS),
        *({**LOSSY, "middlebox.kind": kind} for kind in SCHEMES),
        *({**LOSSY, "radio.rlc.mode": mode} for mode in ("tm", "am")),
        {"radio.tbler": "10 %", "radio.rlc.arq": "next-expected"},
        {"radio.tbler": "10 %", "radio.pdcp.header_compression": "true"},
        {"flow.application": "web"},
        {"flow.application": "telnet"},
        {"flow.application": "udp"},
        {"flow.application": "voip", "radio.rlc.mode": "um", "radio.tbler": "5 %"},
    ],
    "bottleneck": [
        *({"queue.kind": kind, "flow.count": "3"} for kind in DISCIPLINES),
        *({**MARKS, "tcp.variant": variant} for variant in SCALABLE),
        DISORDER,
    ],
    "hmipv6-handover": [{"mobile_ip.kind": kind} for kind in MOBILE_IP],
}
"""Settings for features that no shipped scenario uses, with the first seed."""


def cases() -> Iterator[Point]:
    """Yield every run: each shipped scenario with each seed, and the variations."""
    for name in thinpipe.scenarios():
        for seed in SEEDS:
            yield Point.of(name, seed=seed, duration=f"{DURATION_S.get(name, USUAL_S)} s")
    for name, variations in VARIATIONS.items():
        for settings in variations:
            yield Point.of(name, settings, duration=f"{USUAL_S} s")


YOUNGER = frozenset({"corrupt", "duplicated", "corrupted"})
"""Words of tables that count where a row has them: digests of other runs are older."""

UNCOUNTED = ("schema", "version", "settings", "made", "groups")
"""Fields of a result that say what was run, or follow from the others."""


OF_WAITS = ("classes", "echoes", "by_mobile")
"""Fields of a middlebox that has packets wait which it does not read, or estimates a rate."""


def digest(point: Point) -> str:
    """Return one line: the digest of all results of a point, and the point.

    Tables count by their values: the bytes of a Parquet file differ between releases of polars.
    What was run does not count, nor what sums up the rest.
    """
    [run] = thinpipe.run_many([point], jobs=1, trace=True)
    total = hashlib.sha256()
    with tempfile.TemporaryDirectory() as directory:
        saved = Path(directory) / "run"
        run.save(saved)
        for file in sorted(saved.iterdir()):
            if file.name in ("thinpipe.sha256", "inputs.json", "scenario.toml"):
                continue
            total.update(file.name.encode())
            if file.suffix == ".parquet":
                add_table(total, pl.read_parquet(file))
            elif file.name == "result.json":
                result = json.loads(file.read_bytes())
                kept = dict(_counted(result))
                total.update(json.dumps(kept).encode())
            elif file.suffix == ".pcapng" and len(run.result.groups) > 1:
                total.update(b"".join(_without_comments(file.read_bytes())))
            else:
                total.update(file.read_bytes())
    return f"{total.hexdigest()[:32]}  {point.scenario.name} {point.label()}"


def _without_comments(capture: bytes) -> Iterator[bytes]:
    """Yield the blocks of a capture, packets without a comment, which says whose they are."""
    begin = 0
    while begin < len(capture):
        kind, length = struct.unpack_from("<II", capture, begin)
        block = capture[begin : begin + length]
        begin += length
        if kind != ENHANCED_PACKET:
            yield block
            continue
        (kept,) = struct.unpack_from("<I", block, 20)
        options = 28 + (kept + 3) // 4 * 4
        after = options
        code, size = struct.unpack_from("<HH", block, options) if options < length - 4 else (0, 0)
        if code == COMMENT:
            after += 4 + (size + 3) // 4 * 4
        rest = block[after:-4]
        rest = b"" if rest == END_OF_OPTIONS else rest
        size = options + len(rest) + 4
        yield struct.pack("<II", kind, size) + block[8:options] + rest + struct.pack("<I", size)


def _counted(result: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a result that count; of what all flows did together, how fair it was."""
    for key, value in result.items():
        if key == "total":
            yield "jain_index", value["jain_index"]
        elif key == "links":
            yield key, [_without_nothing(link, "disorder") for link in value]
        elif key == "flows":
            yield key, [_without_nothing(flow, "voip") for flow in value]
        elif key == "middlebox" and value is not None:
            yield key, _without_nothing(value, *OF_WAITS)
        elif key not in UNCOUNTED:
            yield key, value


def _without_nothing(of: Mapping[str, Any], *younger: str) -> dict[str, Any]:
    """Return a part of a result without what is younger than its digest, if it has none of that."""
    return {key: value for key, value in of.items() if key not in younger or value}


def _kind(column: pl.Series) -> pl.DataType:
    """Return the type of a column, without the younger words that no row has."""
    if not isinstance(column.dtype, pl.Enum):
        return column.dtype
    words = column.dtype.categories
    used = YOUNGER & {*column.unique().cast(pl.String)}
    return pl.Enum([word for word in words if word not in YOUNGER or word in used])


def add_table(total: hashlib._Hash, table: pl.DataFrame) -> None:
    """Add each column: its name, type, null mask and values."""
    for column in table:
        total.update(f"{column.name} {_kind(column)} {len(column)}".encode())
        total.update(column.is_null().to_numpy().tobytes())
        if column.dtype.is_numeric() or column.dtype == pl.Boolean:
            total.update(np.ascontiguousarray(column.fill_null(0).to_numpy()).tobytes())
        else:
            total.update("\0".join(map(str, column)).encode())


def lines(points: Iterable[Point]) -> list[str]:
    """Return the digest of each point, in order, computed on all processors."""
    with ProcessPoolExecutor() as pool:
        return list(pool.map(digest, points))


def readers(scenario: str) -> list[str]:
    """Return the items of papers whose facts run a scenario, as `thinpipe reproduce` names them."""
    papers = [registration.load() for registration in registrations()]
    return [
        f"{paper.id}/{item.id}"
        for paper in papers
        for item in paper.items
        if any(fact.item == item.id for fact in paper.facts)
        and any(point.scenario.name == scenario for point, _ in item.wanted())
    ]


def main() -> int:
    """Print, write or compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--check", action="store_true", help=f"compare with {LIST.name}")
    action.add_argument("--write", action="store_true", help=f"replace {LIST.name}")
    options = parser.parse_args()
    found = lines(cases())
    if not options.check and not options.write:
        print(*found, sep="\n")
        return 0
    listed = LIST.read_text(encoding="utf-8").splitlines()
    moved = sorted({*found} ^ {*listed}, key=lambda line: line[34:])
    for line in moved:
        print("-+"[line in found], line)
    print(f"{len({*found} & {*listed})} of {len(listed)} as listed")
    items = {item for line in moved for item in readers(line[34:].split()[0])}
    if items:
        print("facts that read them:", "thinpipe reproduce", *sorted(items))
    if options.write:
        LIST.write_text("".join(f"{line}\n" for line in found), encoding="utf-8")
        return 0
    return int(found != listed)


if __name__ == "__main__":
    sys.exit(main())
