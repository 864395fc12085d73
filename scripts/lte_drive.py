"""The traces of `lte-drive` and `lte-drive-test`: drives past LTE cells, synthetic, not measured.

`--write` replaces the files in ``scenarios/traces``; without it they are compared. All numbers come
from the process below and its seed. How it works, and what of it is a choice of ours, is in
``docs/models/load-traces.md``.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

DIRECTORY: Final = Path(__file__).resolve().parent.parent / "scenarios" / "traces"

SEED: Final = 2025
DRIVE_MS: Final = 30_000
STEP_MS: Final = 100
"""How long the channel quality holds."""

CELL_MS: Final = 10_000
"""The time from one cell to the next; the mobile passes its site halfway."""
HANDOVER_MS: Final = 40
"""Without an opportunity at a change of cells."""

BITS_PER_SYMBOL: Final = (
    0.1523, 0.2344, 0.3770, 0.6016, 0.8770, 1.1758, 1.4766, 1.9141,
    2.4063, 2.7305, 3.3223, 3.9023, 4.5234, 5.1152, 5.5547,
)  # fmt: skip
"""The efficiency of each channel quality indicator, 1 to 15 (3GPP TS 36.213, table 7.2.3-1)."""

PACKET_BITS: Final = 12_000

IDLE_MS: Final = 100
"""Inactivity before discontinuous reception."""
PROBE_MS: Final = 200
"""From one train to the next."""
TRAIN_PACKETS: Final = 15
TRAIN_MS: Final = 100
"""A train ends with this many packets or after this time, but has one packet at least."""
DELAY_MS: Final = 500
"""How long a base delay holds."""
WEAK: Final = 5
"""Up to this channel quality retransmissions are more frequent."""

RECORDED_S: Final = 60
"""How long a mobile records its radio, once a second."""
GAPS_S: Final = (7, 33, 34)
"""When it has no value."""
COLUMNS: Final = (
    "Timestamp,Longitude,Latitude,Speed,Operatorname,CellID,NetworkMode,"
    "RSRP,RSRQ,SNR,CQI,RSSI,DL_bitrate,UL_bitrate,State"
)
"""Those that G-NetTrack writes."""


@dataclass(frozen=True, slots=True)
class Way:
    """A direction of the drive.

    Attributes
    ----------
    name
        That of its file.
    symbols_per_ms
        What a saturated user gets of the carrier.
    turn_ms
        From one grant of a saturated user to the next.
    wait_ms
        The most that the first packet after an idle time waits for its first grant; the least is
        a quarter.
    light_turn_ms
        From one grant of a train to the next.
    base_ms
        The least delay, one way.
    """

    name: str
    symbols_per_ms: int
    turn_ms: int
    wait_ms: int
    light_turn_ms: int
    base_ms: int


WAYS: Final = (
    Way("down", 7000, turn_ms=10, wait_ms=20, light_turn_ms=4, base_ms=18),
    Way("up", 1750, turn_ms=20, wait_ms=16, light_turn_ms=8, base_ms=20),
)


def qualities(random: Random) -> list[int]:
    """Return the channel quality indicator of each step: distance, and shadowing that wanders."""
    course, shadow = [], 0.0
    for step in range(DRIVE_MS // STEP_MS):
        within = step * STEP_MS % CELL_MS / CELL_MS
        nearness = 1 - abs(2 * within - 1)
        shadow = 0.9 * shadow + random.uniform(-1.5, 1.5)
        course.append(min(15, max(1, round(3 + 10 * nearness + shadow))))
    return course


def bits_per_ms(way: Way, quality: int) -> float:
    """Return what a saturated user gets."""
    return way.symbols_per_ms * BITS_PER_SYMBOL[quality - 1]


def is_handover(time_ms: int) -> bool:
    """Return whether the mobile changes its cell."""
    return CELL_MS <= time_ms < DRIVE_MS and time_ms % CELL_MS < HANDOVER_MS


def heavy(way: Way, course: list[int]) -> list[str]:
    """Return the opportunities of a saturated link: at each turn, what has come up since."""
    lines, credit = [], 0.0
    for time_ms in range(1, DRIVE_MS + 1):
        credit += 0 if is_handover(time_ms) else bits_per_ms(way, course[(time_ms - 1) // STEP_MS])
        packets = int(credit // PACKET_BITS)
        is_last = time_ms == DRIVE_MS
        if time_ms % way.turn_ms == 0 and not is_handover(time_ms) and (packets or is_last):
            lines.append(f"heavy,{time_ms},,{max(packets, 1)}")
            credit -= max(packets, 1) * PACKET_BITS
    return lines


def light(way: Way, course: list[int], random: Random) -> list[str]:
    """Return the trains: a wait, then grants that double up to half of a saturated user's."""
    lines = []
    for begins_ms in range(0, DRIVE_MS, PROBE_MS):
        rate = bits_per_ms(way, course[begins_ms // STEP_MS])
        wait_ms = random.randint(way.wait_ms // 4, way.wait_ms)
        if is_handover(begins_ms):
            wait_ms += HANDOVER_MS
        left, grant, credit, after_ms = TRAIN_PACKETS, 1, 1.0, wait_ms
        while left and after_ms <= wait_ms + TRAIN_MS:
            packets = min(left, grant, int(credit))
            if packets:
                lines.append(f"light,{begins_ms},{after_ms},{packets}")
                left, grant, credit = left - packets, 2 * grant, credit - packets
            after_ms += way.light_turn_ms
            credit += way.light_turn_ms * rate / 2 / PACKET_BITS
    return lines


def delay(way: Way, course: list[int], random: Random) -> list[str]:
    """Return the base delay: the least, another user's turn, retransmissions of 8 ms if weak."""
    lines = []
    for time_ms in range(0, DRIVE_MS, DELAY_MS):
        is_weak = course[time_ms // STEP_MS] <= WEAK
        retransmissions = random.choice((0, 1, 1, 2) if is_weak else (0, 0, 0, 1))
        value = way.base_ms + random.randint(0, 16) / 4 + 8 * retransmissions
        lines.append(f"delay,{time_ms},{value:g},")
    return lines


def recorded(random: Random) -> list[str]:
    """Return what a mobile writes each second: distance, and shadowing that wanders."""
    lines, shadow = [], 0.0
    for second in range(RECORDED_S):
        cell, within = divmod(second * 1000, 2 * CELL_MS)
        nearness = 1 - abs(within / CELL_MS - 1)
        shadow = 0.8 * shadow + random.uniform(-3, 3)
        ratio = "-" if second in GAPS_S else str(round(-2 + 24 * nearness + shadow))
        stamp = f"2025.01.01_12.00.{second:02}"
        lines.append(f"{stamp},-,-,50,-,{cell + 1},4G,-,-,{ratio},-,-,-,-,D")
    return lines


def files() -> dict[Path, str]:
    """Return the text of each file. Both directions have the same channel quality."""
    course = qualities(Random(SEED))
    texts = {}
    for number, way in enumerate(WAYS):
        random = Random(SEED + 1 + number)
        lines = [
            f"# Synthetic, not measured: a drive past LTE cells, {way.name}link. Made by",
            f"# scripts/lte_drive.py with seed {SEED}; docs/models/load-traces.md has the format.",
            "series,at_ms,ms,packets",
            f"idle,,{IDLE_MS},",
            *delay(way, course, random),
            *light(way, course, random),
            *heavy(way, course),
        ]
        texts[DIRECTORY / f"lte-drive-{way.name}.csv"] = "\n".join(lines) + "\n"
    lines = [
        "# Synthetic, not measured: the radio of a mobile that drives past LTE cells. Made by",
        f"# scripts/lte_drive.py with seed {SEED}, in the columns of G-NetTrack.",
        COLUMNS,
        *recorded(Random(SEED)),
    ]
    texts[DIRECTORY / "lte-drive-test.csv"] = "\n".join(lines) + "\n"
    return texts


def main() -> None:
    """Write or compare the files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="replace the files")
    is_writing = parser.parse_args().write
    for path, text in files().items():
        if is_writing:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            sys.exit(f"{path.name} is not what the process makes: scripts/lte_drive.py --write")


if __name__ == "__main__":
    main()
