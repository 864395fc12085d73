"""Groups of flows on the page: made, named, set, taken away, and told apart by colour."""

from __future__ import annotations

import shlex

from thinpipe.plot.style import ALGORITHMS, OTHER

from tests.lab import browsing
from tests.lab.browsing import open_state, settle, state

DARK = """async (own) => {
  const {colourOf, palette} = await import("/page/colours.js");
  const colours = palette();
  return [colours.paper, ...own.map((color) => colourOf({color}, colours))];
}"""


def make(page, name):
    page.locator("#group-name").fill(name)
    page.locator("#add-group").click()


def names(page):
    """Return the groups of the first table, all flows left out."""
    [first, *_], *_ = browsing.tables(page)
    return [row[0] for row in first["rows"][1:]]


def test_a_group_is_made_and_set(page, thinpipe):
    open_state(page, state("plain-384", settings="duration=5s"))
    make(page, "thin")
    settle(page)
    assert names(page) == ["flow", "thin"]  # the first one stays
    variant = browsing.setting(page, "flow.group.thin.tcp.variant")
    assert variant.input_value() == "reno"  # that of [tcp]
    for key, text in {"tcp.variant": "vegas", "count": "2", "delay": "20 ms"}.items():
        browsing.change(page, f"flow.group.thin.{key}", text)
        settle(page)
    assert browsing.error(page) == ""
    [first, *_], *_ = browsing.tables(page)
    assert [row[:3] for row in first["rows"][1:]] == [["flow", "1", "reno"], ["thin", "2", "vegas"]]
    assert "thin, mean of 2" in browsing.legend(page, "cwnd")
    run = thinpipe(*shlex.split(browsing.copied(page, "command"))[1:], COLUMNS="400")
    assert run.returncode == 0, run.stderr
    for cells in first["rows"]:
        assert cells in [line.split() for line in run.stdout.splitlines()] or "%" in cells[4]


def test_another_key_of_a_group(page):
    open_state(page, state("bbr-beside-cubic", settings="duration=2s"))
    page.locator("#key-search-cubic").fill("fast_convergence")
    page.get_by_role("button", name="flow.group.cubic.tcp.cubic.fast_convergence").click()
    browsing.change(page, "flow.group.cubic.tcp.cubic.fast_convergence", "false")
    settle(page)
    assert browsing.error(page) == ""
    assert "flow.group.cubic.tcp.cubic.fast_convergence" in page.url


def test_groups_are_taken_away_and_brought_back(page):
    open_state(page, state("bbr-beside-cubic", settings="duration=2s"))
    make(page, "more")
    settle(page)
    assert names(page) == ["bbr", "cubic", "more"]
    page.get_by_role("button", name="Remove bbr").click()
    settle(page)
    assert names(page) == ["cubic", "more"]
    page.get_by_role("button", name="Remove more").click()
    settle(page)
    assert "more" not in page.url
    assert page.locator("#groups [data-group=more]").count() == 0
    page.get_by_role("button", name="Bring back bbr").click()
    settle(page)
    assert names(page) == ["bbr", "cubic"]


def test_a_name_that_is_none_is_not_sent(page):
    open_state(page, state("bbr-beside-cubic", settings="duration=2s"))
    for name in ("a b", "a.b", "bbr"):
        make(page, name)
        assert page.locator("#group-name:invalid").count() == 1, name
    assert page.locator("#groups details[data-group]").count() == 2


def test_a_flow_is_chosen_in_the_place_of_groups(page):
    open_state(page, state("bbr-beside-cubic", settings="duration=2s"))
    assert page.locator("#flow").input_value() == ""
    page.locator("#flow").select_option("flow 1, cubic")
    settle(page)
    assert "flow=1" in page.url
    caption = page.locator('figure[data-panel="cwnd"] figcaption').inner_text()
    assert "of flow 1, cubic" in caption
    page.locator("#flow").select_option("each group")
    settle(page)
    assert "flow=" not in page.url


def test_every_colour_of_a_group_is_seen_on_dark(page):
    own = [*ALGORITHMS.values(), OTHER]
    page.emulate_media(color_scheme="dark")
    open_state(page, state(settings="duration=1s"))
    paper, *dark = page.evaluate(DARK, own)
    assert len(set(dark)) == len(own)
    assert [color for color in dark if contrast(color, paper) < 3] == []  # WCAG 2.1, 1.4.11


def contrast(one, other):
    """Return the contrast of two colours (WCAG 2.1)."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(color):
    """Return the relative luminance of a colour (WCAG 2.1)."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
