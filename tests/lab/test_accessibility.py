"""Whether all can use the lab's page: at any width, in the dark, by what reads it out."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lab import browsing
from tests.lab.browsing import open_state, settle, state

WIDTHS = (360, 1600)
THEMES = ("light", "dark")
TWO = state("umts-dch-384", "tcp.variant=reno", "tcp.variant=vegas")
COLOURS = """async () => {
  const {palette} = await import("/page/colours.js");
  return palette();
}"""


@pytest.fixture(params=[(width, theme) for width in WIDTHS for theme in THEMES], ids=str)
def shown(request, contexts):
    """Open the page at a width and in a theme, with all panels and everything unfolded."""
    width, theme = request.param
    size = {"width": width, "height": 900}
    page = contexts(viewport=size, color_scheme=theme, bypass_csp=True).new_page()
    open_state(page, TWO)
    return page


def unfold(page):
    """Open all that is folded, and all panels."""
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    boxes = page.locator("#transport details input[type=checkbox]")
    for number in range(boxes.count()):
        boxes.nth(number).check()
        settle(page)


def serious(page) -> list[str]:
    """Return what axe-core finds that keeps somebody from using the page."""
    from axe_playwright_python.sync_playwright import Axe

    found: list[dict[str, Any]] = Axe().run(page).response["violations"]
    return [
        f"{each['id']}: {node['html'][:200]} {node.get('failureSummary')}"
        for each in found
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"]
    ]


def sideways(page) -> list[str]:
    """Return what is wider than the window, if the page then scrolls sideways."""
    found: list[str] = page.evaluate(
        """() => {
          const root = document.documentElement;
          if (root.scrollWidth <= root.clientWidth) return [];
          return [...document.body.querySelectorAll("*")]
            .filter((each) => each.getBoundingClientRect().right > root.clientWidth + 1)
            .map((each) => each.outerHTML.slice(0, 120));
        }"""
    )
    return found


def test_nothing_keeps_anybody_out(shown):
    assert serious(shown) == []
    assert sideways(shown) == []


def test_nor_when_all_is_open_and_something_is_wrong(shown):
    unfold(shown)
    browsing.change(shown, "tcp.window", "x" * 300)
    settle(shown)
    assert browsing.error(shown)
    assert serious(shown) == []
    assert sideways(shown) == []


def luminance(colour: str) -> float:
    """WCAG 2.2, relative luminance."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_pictures_have_contrast(contexts, theme):
    """axe-core does not look into a canvas."""
    page = contexts(color_scheme=theme).new_page()
    open_state(page, state())
    colours = page.evaluate(COLOURS)
    paper = colours["paper"]
    for name in ("ink", "faint"):
        assert contrast(colours[name], paper) >= 4.5, name
    for run in colours["runs"]:
        assert contrast(run, paper) >= 3, run
    for name in ("data", "retransmission", "acknowledgement", "timeout", "drop", "muted"):
        assert contrast(colours[name], paper) >= 3, name


def test_the_theme_can_be_chosen(page):
    open_state(page)
    colour = "() => getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(colour)
    page.locator("#theme").click()
    assert page.evaluate(colour) != before
    page.locator("#theme").click()
    assert page.evaluate(colour) == before
