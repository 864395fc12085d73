"""What a test does with the lab's page, and what it sees there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page, WebSocket

Table = dict[str, list[Any]]

COLOURED = """canvas => {
  const copy = new OffscreenCanvas(canvas.width, canvas.height);
  const context = copy.getContext("2d", {willReadFrequently: true});
  context.drawImage(canvas, 0, 0);
  const {data} = context.getImageData(0, 0, copy.width, copy.height);
  let count = 0;
  for (let at = 0; at < data.length; at += 4) {
    const [red, green, blue] = data.slice(at, at + 3);
    if (Math.max(red, green, blue) - Math.min(red, green, blue) > 40) count += 1;
  }
  return count;
}"""

TABLES = """sections => sections.map((of) => [...of.querySelectorAll("table")].map((table) => ({
  columns: [...table.tHead.rows[0].cells].map(cell => cell.textContent),
  rows: [...table.tBodies[0].rows].map(row => [...row.cells].map(cell => cell.textContent)),
})))"""

UNFOLD = """(control) => {
  for (let at = control.closest("details"); at; at = at.parentElement.closest("details")) {
    at.open = true;
  }
}"""

MOVE = """(range, place) => {
  range.value = place;
  range.dispatchEvent(new Event("input", {bubbles: true}));
  range.dispatchEvent(new Event("change", {bubbles: true}));
}"""


def state(scenario: str = "umts-dch-384", *variants: str, **entries: str) -> str:
    """Return the part of an address after #.

    A variant is ``KEY=VALUE&KEY=VALUE``; `entries` are as in page/state.js, but for `settings`,
    which is ``KEY=VALUE KEY=VALUE``.
    """
    settings = entries.pop("settings", "duration=10s").split()
    words = [("scenario", scenario), *(("set", each) for each in settings)]
    words += [("variant", each) for each in variants]
    return urlencode([*words, *entries.items()], quote_via=quote)


def open_state(page: Page, address: str = "") -> None:
    """Open the page with a state, the part of the address after #, and wait for its pictures."""
    page.goto("about:blank")
    page.goto(f"/#{address}" if address else "/")
    settle(page)


def settle(page: Page) -> None:
    """Wait until the newest request has its answer on the page."""
    page.wait_for_selector('body[data-shown] #results[aria-busy="false"]')


def expecting(of: Locator) -> Any:
    """Return what waits until an element is as it should be."""
    from playwright.sync_api import expect

    return expect(of)


def copied(page: Page, kind: str) -> str:
    """Return what the page gives to copy: a command, a scenario, a program, a sweep or a link."""
    page.locator(f"[data-copy={kind}]").click()
    dialog = page.locator("#copying dialog[open]")
    text = dialog.locator("textarea").input_value()
    dialog.get_by_role("button", name="Close").click()
    return text


def error(page: Page) -> str:
    """Return the error that the page shows; nothing if it shows none."""
    shown = page.locator("#error")
    return shown.inner_text() if shown.is_visible() else ""


def tables(page: Page) -> list[list[Table]]:
    """Return the tables of each run, cell by cell."""
    shown: list[list[Table]] = page.locator("#tables section").evaluate_all(TABLES)
    return shown


def setting(page: Page, key: str) -> Locator:
    """Return the slider, choice or field of a key; what folds it away is opened."""
    found = page.locator(f'[id="setting-{key}"]')
    found.evaluate(UNFOLD)
    return found


def field(page: Page, key: str) -> Locator:
    """Return the field that has a key's value as text."""
    found = page.locator(f'.setting[data-key="{key}"] input[type="text"]')
    found.evaluate(UNFOLD)
    return found


def move_slider(page: Page, key: str, place: int) -> None:
    """Move a slider to a place from 0 to 1000, and let it go."""
    setting(page, key).evaluate(MOVE, place)


def change(page: Page, key: str, text: str) -> None:
    """Choose a value, or type it into its field and leave that."""
    control = setting(page, key)
    if control.evaluate("control => control.tagName") == "SELECT":
        control.select_option(text)
        return
    field(page, key).fill(text)
    field(page, key).blur()


def panels(page: Page) -> list[str]:
    """Return the names of the open panels."""
    names: list[str] = page.locator("figure").evaluate_all(
        "figures => figures.map(figure => figure.dataset.panel)"
    )
    return names


def canvas(page: Page, panel: str) -> Locator:
    """Return the canvas of a panel."""
    return page.locator(f'figure[data-panel="{panel}"] > canvas')


def box(of: Locator) -> tuple[float, float, float, float]:
    """Return where an element begins in the window, and how wide and high it is."""
    of.scroll_into_view_if_needed()
    found = of.bounding_box()
    assert found is not None
    return found["x"], found["y"], found["width"], found["height"]


def is_drawn(page: Page, panel: str) -> bool:
    """Return whether a panel shows anything in colour: its axes are grey."""
    coloured: int = canvas(page, panel).evaluate(COLOURED)
    return coloured > 20


def legend(page: Page, panel: str) -> str:
    """Return the legend of a panel, with the values at the cursor."""
    return page.locator(f'figure[data-panel="{panel}"] .legend').inner_text()


def cursor(page: Page) -> str:
    """Return the time of the cursor as the bar shows it."""
    return page.locator("#transport output").first.inner_text()


def reach(page: Page, selector: str) -> None:
    """Press Tab until what `selector` finds has the focus."""
    for _ in range(200):
        page.keyboard.press("Tab")
        if page.evaluate("wanted => document.activeElement.matches(wanted)", selector):
            return
    raise AssertionError(f"Tab does not lead to {selector}")


class Answers:
    """What a page asks over its socket, and what it hears; made before the page is opened."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self.asked: list[dict[str, Any]] = []
        self.heard: list[dict[str, Any]] = []
        page.on("websocket", self._listen)

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framesent", lambda frame: self.asked.append(json.loads(frame)))
        socket.on("framereceived", lambda frame: self.heard.append(json.loads(frame)))

    def newest(self) -> dict[str, Any]:
        """Return the answer that the page shows, once it is settled."""
        settle(self._page)
        number = int(self._page.locator("body").get_attribute("data-shown") or "")
        while not (found := [each for each in self.heard if each["number"] == number]):
            self._page.wait_for_timeout(20)
        return found[-1]
