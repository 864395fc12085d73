"""Tables on screens of any width, and without one."""

import io
import re

import pytest
from rich.console import Console
from thinpipe.cli.terminal import PIPE_WIDTH, console, show

COLUMNS = ("tcp.variant", "radio.tbler", "goodput (kbit/s)", "RTT mean (s)", "retransmits")
ROWS = [
    ("reno", "0 %", "349 =", "0.3231 =", "50 ="),
    ("vegas", "20 %", "76.93 ± 11", "0.3975 ± 0.0094", "0.8 ± 2.2 †"),
]
CELLS = [max(map(len, cells)) for cells in zip(*ROWS, strict=True)]
GAPS = 2 * (len(COLUMNS) - 1)
WHOLE = GAPS + sum(map(max, CELLS, map(len, COLUMNS)))
"""The width of this table, with each header in one line."""
FOLDED = GAPS + sum(map(max, CELLS, (max(map(len, column.split())) for column in COLUMNS)))
"""The same with headers in as many lines as they have words."""


def shown(width: int, *, terminal: bool = True) -> list[str]:
    screen = Console(file=io.StringIO(), width=width, force_terminal=terminal, no_color=True)
    show(screen, COLUMNS, ROWS, text=frozenset(COLUMNS[:2]))
    text = screen.file.getvalue()  # type: ignore[attr-defined]
    return re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()


def cells(line: str) -> list[str]:
    return re.split(r"\s{2,}", line.strip())


@pytest.mark.parametrize("width", range(20, 200, 3))
def test_no_value_is_cut_and_no_line_too_long(width):
    lines = shown(width)
    for row in ROWS:
        assert any(cells(line) == [*row] for line in lines) or all(
            f"{column:<{max(map(len, COLUMNS))}}  {cell}" in lines
            for column, cell in zip(COLUMNS, row, strict=True)
        )
    table = any(cells(line) == [*ROWS[0]] for line in lines)
    assert table is (width >= FOLDED)
    if table:
        assert max(map(len, lines)) <= width


@pytest.mark.parametrize(("width", "head"), [(WHOLE, 1), (WHOLE - 1, 2), (FOLDED, 2)])
def test_headers_fold_at_words_where_that_makes_room(width, head):
    lines = shown(width)
    assert len(lines) == head + len(ROWS)
    words = sorted(word for line in lines[:head] for word in line.split())
    assert words == sorted(" ".join(COLUMNS).split())


def test_without_a_terminal_a_table_is_whole():
    assert shown(20, terminal=False) == [line.rstrip() for line in shown(WHOLE)]
    assert console(io.StringIO()).width == PIPE_WIDTH


@pytest.mark.parametrize("columns", ["60", "80", "200"])
def test_a_pipe_is_as_wide_as_its_lines(thinpipe, monkeypatch, columns):
    """Whatever ``COLUMNS`` says, which readline exports from any program that has it."""
    monkeypatch.setenv("COLUMNS", columns)
    head, row, *_ = thinpipe("run", "plain-384", "--duration", "1s").stdout.splitlines()
    assert cells(head)[0] == "flow"
    assert cells(row)[:2] == ["0", "reno"]
    assert len(cells(head)) == len(cells(row))


def test_text_on_a_terminal_has_no_colours_of_its_own(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: True)
    text = "seed 1: 12,050 J of [radio.rrc] in [red]a[/b].toml"
    console(stream).print(text, soft_wrap=True)
    assert stream.getvalue() == f"{text}\n"
