"""How soon the lab answers in a browser, beside its goals, and where the time goes.

``python -m benches.lab`` drags a slider over `MOVES` places, 60 s of umts-dch-384 with two variants
each, and prints tables as JSON. A move lasts from its event to the first frame after the answer is
drawn. Every place is new: the lab runs both variants anew. Other load lengthens a move; the fastest
had the least of it.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from tests.lab.served import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Row = tuple[str, ...]
Table = tuple[str, Row, list[Row]]

MOVES: Final = 100
PAGES: Final = 5
TICKS: Final = os.sysconf("SC_CLK_TCK")
STATE: Final = (
    "scenario=umts-dch-384&set=duration%3D60s&set=radio.tbler%3D1%25"
    "&variant=tcp.variant%3Dreno&variant=tcp.variant%3Dvegas"
)

WATCH: Final = """
window.heard = null;
window.bytes = 0;
window.WebSocket = class extends WebSocket {
  constructor(...words) {
    super(...words);
    this.addEventListener("message", (event) => {
      window.heard = {at: performance.now(), text: event.data};
      window.bytes += event.data.length;
    });
  }
};
window.painted = (before) => new Promise((done) => {
  const look = () => {
    const shown = document.body?.dataset.shown;
    if (!shown || shown === before) return false;
    const at = performance.now();
    // A task after the next frame's callbacks runs when the frame is painted.
    requestAnimationFrame(() => {
      const {port1, port2} = new MessageChannel();
      port1.onmessage = () => done({shown: at, painted: performance.now()});
      port2.postMessage(null);
    });
    return true;
  };
  if (look()) return;
  const observer = new MutationObserver(() => { if (look()) observer.disconnect(); });
  observer.observe(document, {attributes: true, childList: true, subtree: true});
});
window.first = window.painted(undefined);
"""
"""What runs in the page before its own scripts: when messages come, when they are painted."""

MOVE: Final = """async (place) => {
  const range = document.getElementById("setting-radio.tbler");
  const drawn = window.painted(document.body.dataset.shown);
  const start = performance.now();
  range.value = place;
  range.dispatchEvent(new Event("input", {bubbles: true}));
  const {shown, painted} = await drawn;
  const {run_s, look_s} = JSON.parse(window.heard.text);
  return {
    all: painted - start, run: 1000 * run_s, look: 1000 * look_s,
    way: window.heard.at - start - 1000 * (run_s + look_s),
    draw: shown - window.heard.at, paint: painted - shown, bytes: window.heard.text.length,
  };
}"""

BYTES: Final = """() => window.bytes + performance.getEntries()
  .reduce((sum, each) => sum + (each.transferSize ?? 0), 0)"""

PARTS: Final = {
    "run": "run both variants",
    "look": "turn runs into layers",
    "way": "request, JSON and the socket",
    "draw": "read the answer and draw it",
    "paint": "until the frame is painted",
}


def main() -> None:
    """Print a table against the goals, and one of where the time of a move goes."""
    json.dump(list(measure()), sys.stdout)


def measure() -> Iterator[Table]:
    """Start the lab and a browser, and measure both."""
    from playwright.sync_api import sync_playwright

    with TemporaryDirectory() as folder, sync_playwright() as playing:
        browser = playing.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        with Served.started(Path(folder), state=Path(folder), port=0) as lab:
            first = [_first_page(browser, lab) for _ in range(1 + PAGES)]
            with _page(browser, lab) as page:
                _ = [page.evaluate(MOVE, place) for place in range(1, 8)]
                before_s = _cpu_s(lab)
                moves = [page.evaluate(MOVE, 10 + 9 * number) for number in range(MOVES)]
                cpu_ms = 1000 * (_cpu_s(lab) - before_s) / MOVES
        browser.close()
    yield _goals(first, moves, cpu_ms)
    rows = [_row(title, [move[part] for move in moves]) for part, title in PARTS.items()]
    rows.append(_row("all", [move["all"] for move in moves]))
    yield ("Where the time of a move goes, ms", ("part", "fastest", "median", "95 %"), rows)


def _goals(first: list[tuple[float, float]], moves: list[dict[str, float]], cpu_ms: float) -> Table:
    _, _, p50, p95 = _row("", [move["all"] for move in moves])
    cold, *warm = (each_ms for each_ms, _ in first)
    return (
        "The lab in a browser: 60 s of umts-dch-384, two variants",
        ("what", "measured", "goal"),
        [
            ("slider to picture, median ms", p50, "< 150"),
            ("slider to picture, 95 %, ms", p95, "< 400"),
            ("first page, ms", f"{statistics.median(warm):.0f}", "< 1,500"),
            ("first page of a server that just began, ms", f"{cold:.0f}", ""),
            ("bytes of the first page, kB", f"{first[-1][1] / 1000:.0f}", "< 2,000"),
            ("bytes of an answer, kB", f"{_mid(moves, 'bytes') / 1000:.0f}", ""),
            ("the server's CPU ms per answer", f"{cpu_ms:.0f}", ""),
        ],
    )


def _mid(moves: list[dict[str, float]], part: str) -> float:
    return statistics.median(move[part] for move in moves)


def _row(title: str, values: list[float]) -> Row:
    p95 = statistics.quantiles(values, n=20)[-1]
    return (title, *(f"{value:.0f}" for value in (min(values), statistics.median(values), p95)))


@contextmanager
def _page(browser: Browser, lab: Served) -> Iterator[Page]:
    """Open the page with nothing cached."""
    with browser.new_context(base_url=lab.origin, viewport={"width": 1600, "height": 1000}) as made:
        made.add_init_script(WATCH)
        made.request.get(lab.address)
        page = made.new_page()
        page.goto(f"/#{STATE}")
        page.wait_for_selector("body[data-shown]")
        yield page


def _first_page(browser: Browser, lab: Served) -> tuple[float, float]:
    """Return when the first answer was painted, in ms from the navigation, and bytes so far."""
    with _page(browser, lab) as page:
        times: dict[str, Any] = page.evaluate("window.first")
        return times["painted"], page.evaluate(BYTES)


def _cpu_s(lab: Served) -> float:
    """Return the CPU time of the server so far."""
    stat = Path(f"/proc/{lab.process.pid}/stat").read_text(encoding="ascii")
    user, system = stat.rpartition(") ")[2].split()[11:13]
    return (int(user) + int(system)) / TICKS


if __name__ == "__main__":
    main()
