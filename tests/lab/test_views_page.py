"""What the page does with views: tips at marks and cells, and places that can be dragged."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

import pytest

from tests.lab import browsing

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

BLOCKS = browsing.state(
    settings="duration=10s radio.tbler=10%", span="4,5", panels="blocks-down,sequence"
)
WALK = browsing.state("hmipv6-handover", settings="duration=20s", panels="ladder,map")


def tip(page: Page, panel: str) -> Locator:
    return page.locator(f'figure[data-panel="{panel}"] [role="tooltip"]')


def handle(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name)


def settings(page: Page) -> dict[str, str]:
    """Return what is set, as the address has it."""
    given = parse_qs(page.url.partition("#")[2])["set"]
    return dict(each.split("=", 1) for each in given)


def box_of(element: Locator) -> dict[str, float]:
    box = element.bounding_box()
    assert box is not None
    return {name: float(value) for name, value in box.items()}  # type: ignore[arg-type]


def test_a_block_under_the_pointer_says_what_it_is(page):
    browsing.open_state(page, BLOCKS)
    assert not tip(page, "blocks-down").is_visible()
    box = box_of(browsing.canvas(page, "blocks-down"))
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tip(page, "blocks-down").wait_for()
    said = tip(page, "blocks-down").inner_text()
    assert re.match(r"(data|retransmission|control)(, sn \d+)?", said)
    page.mouse.move(0, 0)
    tip(page, "blocks-down").wait_for(state="hidden")


def test_a_mark_says_what_it_is_and_when(page):
    browsing.open_state(
        page, browsing.state("plain-384", settings="duration=20s queue.packets=10", panels="cwnd")
    )
    browsing.canvas(page, "cwnd").focus()
    page.keyboard.press("n")
    tip(page, "cwnd").wait_for()
    assert re.match(
        r"(Fast retransmit|Timeout|Spurious).*, [\d.]+ s$", tip(page, "cwnd").inner_text()
    )


def test_the_keyboard_reaches_tips(page):
    browsing.open_state(page, BLOCKS)
    browsing.canvas(page, "blocks-down").focus()
    page.keyboard.press("n")
    page.keyboard.press("n")
    tip(page, "blocks-down").wait_for()
    first = tip(page, "blocks-down").inner_text()
    page.keyboard.press("ArrowUp")
    assert tip(page, "blocks-down").inner_text() != first
    page.keyboard.press("Escape")
    tip(page, "blocks-down").wait_for(state="hidden")


def test_arrow_keys_move_a_turn_by_ten_metres(page):
    browsing.open_state(page, WALK)
    turn = handle(page, "Turn 1 of MN")
    turn.focus()
    page.keyboard.press("ArrowUp")
    browsing.settle(page)
    assert '["580 m", "10 m"]' in settings(page)["wlan.mobile.MN.walk"]
    assert "580 m, 10 m" in (turn.get_attribute("aria-label") or "")
    assert browsing.error(page) == ""
    assert turn.evaluate("button => button === document.activeElement")


def test_a_dragged_place_runs_when_it_is_let_go(page):
    browsing.open_state(page, WALK)
    station = handle(page, "AR2")
    box = box_of(station)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    before = page.url
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 30, steps=3)
    assert page.url == before
    page.mouse.up()
    browsing.settle(page)
    place = settings(page)["wlan.access_point.AR2.position"]
    found = re.fullmatch(r'\["(-?\d+) m", "(-?\d+) m"\]', place)
    assert found
    assert abs(int(found[1]) - 820) <= 3
    assert int(found[2]) > 20


@pytest.mark.parametrize(
    ("scenario", "words"),
    [(WALK, {"MN", "binding update", "AR1"}), (BLOCKS, {"data in error"})],
    ids=["places", "blocks"],
)
def test_views_are_saved_as_svg(page, scenario, words):
    browsing.open_state(page, scenario)
    page.get_by_text("Save as files").click()
    with page.expect_download() as saving:
        page.get_by_role("button", name="SVG").click()
    root = ET.fromstring(saving.value.path().read_text())
    said = "|".join("".join(each.itertext()) for each in root.iter() if each.tag.endswith("text"))
    assert all(word in said for word in words)


@pytest.mark.parametrize(("scenario", "names"), [(WALK, ["ladder", "map"])])
def test_places_are_drawn(page, scenario, names):
    browsing.open_state(page, scenario)
    assert browsing.panels(page) == names
    assert all(browsing.is_drawn(page, name) for name in names)
