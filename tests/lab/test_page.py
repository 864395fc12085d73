"""The lab's page in a browser: what it shows, and that it asks for nothing from elsewhere."""

from __future__ import annotations

import re
import shlex
from urllib.parse import urlencode

import pytest
import thinpipe as tp

from tests.lab import browsing
from tests.lab.browsing import Answers, open_state, settle, state

VARIED = {
    "tcp.variant": "cubic",
    "radio.tbler": "5%",
    "wired.Gn.delay": "70 ms",
    "tcp.window": "20",
    "duration": "8 s",
}
"""Settings of umts-dch-384, of which the page has a control for each."""


def test_first_page(page):
    open_state(page)
    assert browsing.error(page) == ""
    shown = browsing.panels(page)
    assert len(shown) >= 4
    assert [name for name in shown if not browsing.is_drawn(page, name)] == []
    assert len(browsing.tables(page)) == 1


def test_every_shipped_scenario_runs(page):
    open_state(page, state(settings="duration=2s"))
    names = page.locator("#scenario option").all_inner_texts()
    assert set(names) == {*tp.scenarios(), *tp.pipes()}
    for name in [*tp.scenarios(), "starlink", "webpagetest:3g"]:
        open_state(page, state(name, settings="duration=2s"))
        assert browsing.error(page) == "", name
        assert page.locator("#scenario").input_value() == name
        drawn = [browsing.is_drawn(page, panel) for panel in browsing.panels(page)]
        assert any(drawn), name
        assert browsing.tables(page)[0], name


def test_another_scenario_is_opened(page):
    open_state(page)
    page.locator("#scenario").select_option("plain-384")
    settle(page)
    assert "scenario=plain-384" in page.url
    assert browsing.setting(page, "link.rate").count() == 1


def printed(said: str) -> list[list[str]]:
    """Return the cells of each line of tables that `thinpipe run` printed."""
    lines = [re.split(r"\s{2,}", line.strip()) for line in said.splitlines()]
    return [cells for cells in lines if len(cells) > 1]


@pytest.mark.parametrize("key", VARIED)
def test_numbers_are_those_of_the_copied_command(page, thinpipe, key):
    open_state(page, state(settings="duration=10s"))
    before = browsing.tables(page)
    browsing.change(page, key, VARIED[key])
    settle(page)
    command = browsing.copied(page, "command")
    assert browsing.tables(page) != before
    assert shlex.quote(f"{key}={VARIED[key]}") in command
    _, *arguments = shlex.split(command)
    (tables,) = browsing.tables(page)
    shown = [cells for table in tables for cells in (table["columns"], *table["rows"])]
    run = thinpipe(*arguments, COLUMNS="400")
    assert run.returncode == 0, run.stderr
    assert shown == printed(run.stdout)


def test_each_variant_has_a_command_and_its_numbers(page, thinpipe):
    open_state(page, state("plain-384", "tcp.variant=reno", "tcp.variant=vegas&tcp.window=30"))
    commands = browsing.copied(page, "command").splitlines()
    runs = browsing.tables(page)
    assert len(commands) == len(runs) == 2
    for command, tables in zip(commands, runs, strict=True):
        shown = [cells for table in tables for cells in (table["columns"], *table["rows"])]
        assert shown == printed(thinpipe(*shlex.split(command)[1:], COLUMNS="400").stdout)


def test_each_place_of_a_slider_is_the_setting_of_the_newest_answer(page):
    open_state(page, state())
    field = browsing.field(page, "radio.tbler")
    told = []
    for place in (100, 400, 900):
        browsing.move_slider(page, "radio.tbler", place)
        settle(page)
        command = browsing.copied(page, "command")
        assert shlex.quote(f"radio.tbler={field.input_value()}") in command
        told.append(browsing.tables(page))
    assert told[0] != told[1] != told[2]


def test_the_cursor_is_the_same_time_in_all_panels(page):
    open_state(page, state())
    before = {name: browsing.legend(page, name) for name in browsing.panels(page)}
    x, y, width, height = browsing.box(browsing.canvas(page, "cwnd"))
    page.mouse.move(x + width * 0.6, y + height / 2)
    page.wait_for_function(HAS_CURSOR)
    time_s = float(browsing.cursor(page).split()[0])
    assert 5 < time_s < 7
    for name, text in before.items():
        label = browsing.canvas(page, name).get_attribute("aria-label") or ""
        assert f"at {browsing.cursor(page)}" in label
        assert browsing.legend(page, name) != text


HAS_CURSOR = "() => document.querySelector('#transport output').textContent !== '–'"


def drag(page, panel, start, end):
    """Drag over a part of a panel; from 0 to 1 across its canvas."""
    x, y, width, height = browsing.box(browsing.canvas(page, panel))
    page.mouse.move(x + width * start, y + height / 2)
    page.mouse.down()
    page.mouse.move(x + width * (start + end) / 2, y + height / 2)
    page.mouse.move(x + width * end, y + height / 2)
    page.mouse.up()


def test_a_brush_zooms_and_a_double_click_returns(page):
    answers = Answers(page)
    open_state(page, state())
    assert answers.newest()["span"] == [0, 10]
    drag(page, "rtt", 0.4, 0.7)
    start_s, end_s = answers.newest()["span"]
    assert 3 < start_s < 5
    assert 6 < end_s < 8
    assert "span=" in page.url
    assert all(browsing.is_drawn(page, name) for name in ("cwnd", "rtt"))
    browsing.canvas(page, "rtt").dblclick()
    assert answers.newest()["span"] == [0, 10]
    assert "span=" not in page.url


def test_a_click_does_not_zoom(page):
    open_state(page, state())
    browsing.canvas(page, "rtt").click()
    settle(page)
    assert "span=" not in page.url


def test_all_by_keyboard(page):
    answers = Answers(page)
    open_state(page, state())
    browsing.reach(page, '.setting[data-key="duration"] input[type="text"]')
    page.keyboard.press("Control+A")
    page.keyboard.type("8 s")
    page.keyboard.press("Enter")
    assert answers.newest()["duration_s"] == 8
    browsing.reach(page, "#add-variant")
    page.keyboard.press("Enter")
    assert len(answers.newest()["runs"]) == 2
    # Who adds one is still there and can go on.
    assert page.evaluate("document.activeElement.id") == "add-variant"
    browsing.reach(page, '.variant:nth-of-type(2) input[type="text"]')
    page.keyboard.type("tcp.variant=vegas")
    page.keyboard.press("Tab")
    assert [run["name"] for run in answers.newest()["runs"]] == ["reno", "vegas"]
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Remove variant 2"
    browsing.reach(page, 'figure[data-panel="cwnd"] > canvas')
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert browsing.cursor(page) == "0.08 s"
    page.keyboard.press("+")
    assert answers.newest()["span"] == [0, 4]
    page.keyboard.press("0")
    assert answers.newest()["span"] == [0, 8]
    before = browsing.cursor(page)
    page.keyboard.press("n")
    stepped = browsing.cursor(page)
    page.keyboard.press("p")
    assert float(stepped.split()[0]) >= float(before.split()[0])


def test_a_checkbox_of_a_panel_keeps_the_focus(page):
    answers = Answers(page)
    open_state(page, state())
    browsing.reach(page, "#transport summary")
    page.keyboard.press("Enter")
    browsing.reach(page, '#transport input[value="sequence"]')
    page.keyboard.press("Space")
    assert "sequence" in [panel["name"] for panel in answers.newest()["panels"]]
    assert page.evaluate("document.activeElement.value") == "sequence"
    page.keyboard.press("Space")
    assert "sequence" not in [panel["name"] for panel in answers.newest()["panels"]]


def test_the_flow_of_the_window_is_chosen(page):
    answers = Answers(page)
    open_state(page, state("link", settings="duration=4s flow.count=3 link.rate=1Mbit/s"))
    first = answers.newest()["panels"]
    choice = page.locator("#flow")
    assert choice.locator("option").all_inner_texts() == ["flow 0", "flow 1", "flow 2"]
    choice.select_option("flow 2")
    settle(page)
    assert "flow=2" in page.url
    caption = page.locator('[data-panel="cwnd"] figcaption').inner_text()
    assert caption == "Congestion window of flow 2 (segments)"
    changed = {
        panel["name"]
        for panel, before in zip(answers.newest()["panels"], first, strict=True)
        if panel["layers"] != before["layers"]
    }
    # Of a queue, the flow's own packets are drawn.
    assert changed == {"cwnd", "queue", "rtt"}
    page.reload()
    settle(page)
    assert choice.input_value() == "2"


def test_what_is_no_setting_of_a_variant_is_said(page):
    open_state(page, state("plain-384"))
    field = page.get_by_label("Other settings of variant 1")
    field.fill("tcp.window 4")
    field.press("Tab")
    settle(page)
    assert "tcp.window 4" in browsing.error(page)
    assert "\n" not in browsing.error(page)
    assert "tcp.window 4" in field.input_value()


def test_one_flow_needs_no_choice(page):
    open_state(page, state())
    assert page.locator('[data-panel="cwnd"] figcaption').inner_text() == (
        "Congestion window (segments)"
    )
    assert page.locator("#flow").is_hidden()


def test_a_step_stays_in_view(page):
    """The breaks of a run have rules in any view of it."""
    broken = urlencode({"name": "black-out", "at": "2"})
    open_state(page, state("plain-384", **{"break": broken, "span": "5,9"}))
    page.locator('[data-panel="cwnd"] > canvas').focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("p")
    at_s = float(page.locator("#transport output").first.inner_text().split()[0])
    assert 5 <= at_s <= 9


def test_the_first_scenario_is_a_choice_after_an_unknown_one(page, complaints):
    open_state(page, state("nowhere"))
    assert "nowhere" in browsing.error(page)
    choice = page.locator("#scenario")
    assert choice.input_value() == ""
    choice.select_option(choice.locator("option").first.inner_text())
    page.wait_for_selector("body[data-shown]:not([data-shown=error])")
    settle(page)
    assert browsing.error(page) == ""
    complaints[:] = [each for each in complaints if "404 (Not Found)" not in each]


def test_colours_of_variants_follow_the_theme(page):
    open_state(page, state())
    colour = "() => getComputedStyle(document.querySelector('.variant i')).backgroundColor"
    before = page.evaluate(colour)
    page.locator("#theme").click()
    page.wait_for_function(f"before => ({colour})() !== before", arg=before)
    page.locator("#theme").click()
    page.wait_for_function(f"before => ({colour})() === before", arg=before)
