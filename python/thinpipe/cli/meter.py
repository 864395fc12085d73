"""The status line of an emulated link."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any, Final

from thinpipe.report.numbers import short

ON_TERMINAL_S: Final = 0.5
ELSEWHERE_S: Final = 1.0
SAVE, RESTORE = "\x1b7", "\x1b8"
"""Save and restore the cursor (VT100), so that the output of programs does not move."""
ARROWS: Final = {"down": "↓", "up": "↑"}


class Meter:
    """Polls an emulator: whether it has failed and, if asked, to show its status.

    The status is one line on standard error: on a terminal the bottom line, outside the scrolling
    region; elsewhere one line after the other.
    """

    def __init__(self, ask: Callable[[], str], *, shown: bool) -> None:
        self._ask = ask
        self._shown = shown
        self._rewrites = sys.stderr.isatty()
        self._rows = 0
        self._period_s = ON_TERMINAL_S if shown and self._rewrites else ELSEWHERE_S
        self._next_s = time.monotonic() + self._period_s

    def tick(self) -> float:
        """Poll the emulator if it is due; return the seconds until the next time.

        Raises
        ------
        EmulationError
            If the emulator has failed.
        """
        now_s = time.monotonic()
        if now_s >= self._next_s:
            answer = self._ask()
            if self._shown:
                self._show(line(json.loads(answer)))
            self._next_s = now_s + self._period_s
        return self._next_s - now_s

    def close(self) -> None:
        """Return the bottom line of the terminal to the scrolling region."""
        if self._rows:
            self._write(f"{SAVE}\x1b[r\x1b[{self._rows};1H\x1b[2K{RESTORE}")

    def _show(self, text: str) -> None:
        if not self._rewrites:
            self._write(text + "\n")
            return
        columns, rows = os.get_terminal_size(sys.stderr.fileno())
        if rows != self._rows:
            self._rows = rows
            self._write(f"\n{SAVE}\x1b[1;{rows - 1}r{RESTORE}\x1b[1A")
        self._write(f"{SAVE}\x1b[{rows};1H\x1b[2K{text[: columns - 1]}{RESTORE}")

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


def line(snapshot: dict[str, Any]) -> str:
    """Return the status line for a snapshot."""
    ways = [(ARROWS[name], snapshot[name]) for name in ARROWS]
    delays = [way["delay_s"] for _, way in ways]
    rtt = "–" if None in delays else f"{short(1000 * sum(delays))} ms"
    return "  ".join([f"RTT {rtt}", *(_way(arrow, way) for arrow, way in ways)])


def _way(arrow: str, way: dict[str, Any]) -> str:
    rate = short(way["rate_bps"] / 1000)
    return f"{arrow} {rate} kbit/s {way['queue']['packets']} queued {way['drops']} dropped"
