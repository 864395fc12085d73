"""The lab's page in a browser: what it shows, and that it asks for nothing from elsewhere."""

from __future__ import annotations

from tests.lab import browsing


def test_first_page(page):
    browsing.open_state(page)
    assert browsing.error(page) == ""
    shown = browsing.panels(page)
    assert len(shown) >= 4
    assert all(browsing.is_drawn(page, name) for name in shown)
    assert len(browsing.tables(page)) == 1
