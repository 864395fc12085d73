"""Lessons on the page: a list, a text beside the pictures, and a way back to the lesson's state."""

import re

import pytest
from thinpipe.lab.lessons import lessons

from tests.lab import browsing
from tests.lab.browsing import open_state, settle

FIRST, SECOND, *_, LAST = lessons()


def text_of(page):
    return page.locator("#lesson")


def open_lesson(page, lesson):
    page.locator("#lessons").select_option(lesson.name)
    page.locator("#lesson h2", has_text=lesson.title).wait_for()
    settle(page)


def test_without_a_lesson_there_is_no_text(page):
    open_state(page)
    assert text_of(page).is_hidden()
    assert page.locator("#lessons").input_value() == ""


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.name)
def test_an_address_of_a_lesson_alone_opens_its_state(page, lesson):
    open_state(page, f"lesson={lesson.name}")
    assert browsing.error(page) == ""
    assert page.locator("#scenario").input_value() == lesson.state["scenario"]
    assert page.locator("#lessons").input_value() == lesson.name
    assert lesson.text in text_of(page).inner_text()
    shown = browsing.panels(page)
    assert set(lesson.state.get("panels", shown)) == set(shown)
    assert all(browsing.is_drawn(page, name) for name in shown)
    assert len(browsing.tables(page)) == len(lesson.state.get("variants", [{}]))


def test_the_answer_is_folded_until_somebody_asks(page):
    open_state(page, f"lesson={FIRST.name}")
    answer = text_of(page).locator("details p")
    assert answer.is_hidden()
    text_of(page).locator("summary").click()
    assert answer.inner_text() == FIRST.answer


def test_previous_and_next_go_through_all(page):
    open_state(page)
    open_lesson(page, FIRST)
    before = text_of(page).get_by_role("button", name="Previous")
    after = text_of(page).get_by_role("button", name="Next")
    assert before.is_disabled()
    after.click()
    page.locator("#lesson h2", has_text=SECOND.title).wait_for()
    before.click()
    page.locator("#lesson h2", has_text=FIRST.title).wait_for()
    open_lesson(page, LAST)
    assert after.is_disabled()


def test_playing_leaves_the_text_and_a_button_brings_the_state_back(page):
    open_state(page)
    open_lesson(page, FIRST)
    address = page.url
    text_of(page).locator("summary").click()
    browsing.change(page, "duration", "20 s")
    settle(page)
    assert "20%20s" in page.url
    assert FIRST.text in text_of(page).inner_text()
    assert FIRST.answer in text_of(page).inner_text()
    page.locator("#lesson-again").click()
    page.wait_for_url(address)
    settle(page)
    assert FIRST.text in text_of(page).inner_text()


def test_an_address_brings_lesson_and_changes_back(page):
    open_state(page)
    open_lesson(page, FIRST)
    browsing.change(page, "duration", "20 s")
    settle(page)
    open_state(page, page.url.partition("#")[2])
    assert FIRST.text in text_of(page).inner_text()
    field = page.locator('.setting[data-key="duration"] input[type="text"]')
    assert field.input_value() == "20 s"


def test_none_ends_the_lesson_and_keeps_the_state(page):
    open_state(page)
    open_lesson(page, FIRST)
    page.locator("#lessons").select_option("")
    page.locator("#lesson").wait_for(state="hidden")
    settle(page)
    assert page.locator("#scenario").input_value() == FIRST.state["scenario"]
    assert not re.search("lesson=", page.url)


def test_another_scenario_ends_the_lesson(page):
    open_state(page)
    open_lesson(page, FIRST)
    page.locator("#scenario").select_option("umts-dch-384")
    page.locator("#lesson").wait_for(state="hidden")


def test_an_unknown_lesson_is_none(page):
    open_state(page, "lesson=spam")
    assert browsing.error(page) == ""
    assert text_of(page).is_hidden()


def test_on_a_phone_the_text_comes_before_the_pictures(page):
    page.set_viewport_size({"width": 360, "height": 800})
    open_state(page, f"lesson={FIRST.name}")
    text, panels = (page.locator(each).bounding_box() for each in ("#lesson", "#panels"))
    assert text["y"] + text["height"] <= panels["y"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
