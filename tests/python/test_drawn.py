"""What a figure draws is in its CSV file."""

import csv
import io
import math

import numpy as np
import polars as pl
import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle
from thinpipe.report.drawn import COLUMNS, figure_csv


def read(figure: Figure) -> tuple[list[str], list[dict[str, str]]]:
    """Return the comments, and the rows by column, without empty cells."""
    lines = figure_csv(figure, "made by a test").decode().splitlines()
    comments = [line for line in lines if line.startswith("#")]
    table = csv.DictReader(line for line in lines if not line.startswith("#"))
    rows = [{name: cell for name, cell in row.items() if cell} for row in table]
    assert table.fieldnames == list(COLUMNS)
    return comments, rows


def numbers(rows: list[dict[str, str]], *columns: str) -> list[tuple[float, ...]]:
    return [tuple(float(row[column]) for column in columns) for row in rows]


def drawn(draw):
    """Return the rows of axes with one artist."""
    figure = Figure()
    draw(figure.subplots())
    return read(figure)[1]


XS, YS = [1.0, 2.5, 4.0], [3.0, -1.0, 0.1 + 0.2]
LOW, HIGH = [2.0, -2.0, 0.0], [4.0, 0.0, 1.0]
POINTS = [(1.0, 3.0), (2.5, -1.0), (4.0, 0.3)]
BANDS = [(1.0, 2.0, 4.0), (2.5, -2.0, 0.0), (4.0, 0.0, 1.0)]
BARS = [(1.0, 3.0, 0.75, 1.25, 0.0, 3.0), (2.5, 2.0, 2.25, 2.75, 0.0, 2.0)]
ERRORS = [np.subtract(YS, LOW), np.subtract(HIGH, YS)]


@pytest.mark.parametrize(
    ("draw", "kind", "columns", "values"),
    [
        (lambda ax: ax.plot(XS, YS), "line", ("x", "y"), POINTS),
        (lambda ax: ax.plot(XS, YS, "o"), "points", ("x", "y"), POINTS),
        (lambda ax: ax.step(XS, YS, where="post"), "steps-post", ("x", "y"), POINTS),
        (lambda ax: ax.scatter(XS, YS), "points", ("x", "y"), POINTS),
        (lambda ax: ax.fill_between(XS, LOW, HIGH), "band", ("x", "y_low", "y_high"), BANDS),
        (
            lambda ax: ax.errorbar(XS, YS, yerr=ERRORS),
            "error bar",
            ("x", "y", "y_low", "y_high"),
            [(x, y, low, high) for (x, y), (_, low, high) in zip(POINTS, BANDS, strict=True)],
        ),
        (
            lambda ax: ax.errorbar(YS, XS, xerr=ERRORS),
            "error bar",
            ("y", "x", "x_low", "x_high"),
            [(x, y, low, high) for (x, y), (_, low, high) in zip(POINTS, BANDS, strict=True)],
        ),
        (
            lambda ax: ax.errorbar(XS, YS, yerr=ERRORS, fmt="none"),
            "error bar",
            ("x", "y_low", "y_high"),
            BANDS,
        ),
        (
            lambda ax: ax.bar([1, 2.5], [3, 2], width=0.5),
            "bar",
            ("x", "y", "x_low", "x_high", "y_low", "y_high"),
            BARS,
        ),
        (
            lambda ax: ax.stairs([3, 2], [0, 1, 4]),
            "stairs",
            ("x_low", "x_high", "y_low", "y"),
            [(0, 1, 0, 3), (1, 4, 0, 2)],
        ),
        (lambda ax: ax.axhline(2), "line", ("y",), [(2,)]),
        (lambda ax: ax.axvline(2), "line", ("x",), [(2,)]),
        (lambda ax: ax.axvspan(2, 3), "area", ("x_low", "x_high"), [(2, 3)]),
        (lambda ax: ax.vlines([1], 2, 3), "line", ("x", "y_low", "y_high"), [(1, 2, 3)]),
        (
            lambda ax: ax.imshow([[5, 6], [7, 8]]),
            "cell",
            ("x", "y", "value"),
            [(0, 0, 5), (1, 0, 6), (0, 1, 7), (1, 1, 8)],
        ),
        (
            lambda ax: ax.imshow([[5, 6], [7, 8]], origin="lower", extent=(0, 4, 0, 2)),
            "cell",
            ("x", "y", "value"),
            [(1, 0.5, 5), (3, 0.5, 6), (1, 1.5, 7), (3, 1.5, 8)],
        ),
        (lambda ax: ax.text(1, 2, "here"), "text", ("x", "y"), [(1, 2)]),
        (
            lambda ax: ax.annotate("", (1, 2), xytext=(0, 9), textcoords="offset points"),
            "arrow",
            ("x", "y"),
            [(1, 2)],
        ),
    ],
)
def test_each_kind_is_there_with_its_numbers(draw, kind, columns, values):
    rows = drawn(draw)
    assert {row["kind"] for row in rows} == {kind}
    assert numbers(rows, *columns) == values


def test_every_panel_and_series_is_there_by_its_name():
    figure = Figure()
    above, below = figure.subplots(2, 1, sharex=True)
    for ax in (above, below):
        ax.plot(XS, YS, color="C0", label="Reno" if ax is above else None)
        ax.fill_between(XS, LOW, HIGH, color="C0", alpha=0.2)
        ax.plot(XS, HIGH, "--", color="C1")
        ax.plot(XS, LOW, color="C3")
        ax.plot(XS, LOW, color="C4")
    figure.legend(handles=[Line2D([], [], color="C1", linestyle="--", label="the\npaper")])
    below.set(xlabel="Time (s)", ylabel="cwnd\n(segments)", title="Below")
    comments, rows = read(figure)
    names = dict.fromkeys((row["panel"], row["series"], row["kind"]) for row in rows)
    assert [name for name in names if name[0] == "2"] == [
        ("2", "Reno", "band"),
        ("2", "Reno", "line"),
        ("2", "the paper", "line"),
        ("2", "line", "line"),
        ("2", "line (2)", "line"),
    ]
    assert {name[1:] for name in names if name[0] == "1"} == {
        name[1:] for name in names if name[0] == "2"
    }
    assert comments == [
        "# made by a test",
        "# panel 1: x: Time (s)",
        "# panel 2: Below; x: Time (s); y: cwnd (segments)",
    ]


def test_words_at_an_axis_are_explained():
    figure = Figure()
    left, right = figure.subplots(1, 2)
    left.bar(["Tahoe", "Reno"], [1, 2])
    right.set_xticks([0, 1, 2], ["0", "one", "2"])
    right.set(yticks=[0, 1], yticklabels=[0, 5])
    comments, _ = read(figure)
    assert comments[1:] == ["# panel 1: x 0 = Tahoe, 1 = Reno", "# panel 2: x 1 = one; y 1 = 5"]


def test_what_is_hidden_or_no_number_is_left_out():
    figure = Figure()
    ax = figure.subplots()
    ax.plot(XS, YS, visible=False)
    ax.plot([1, 2], [math.nan, 3])
    ax.text(0.5, 0.5, "in a corner", transform=ax.transAxes)
    _, rows = read(figure)
    assert [(row["x"], row.get("y")) for row in rows] == [("1", None), ("2", "3")]


def test_kind_that_is_not_known_is_counted():
    figure = Figure()
    figure.subplots().add_patch(Circle((0, 0), 1))
    comments, rows = read(figure)
    assert (comments[-1], rows) == ("# not in this file: 1 Circle", [])


def test_polars_reads_it():
    figure = Figure()
    figure.subplots().plot(XS, YS)
    table = pl.read_csv(io.BytesIO(figure_csv(figure, "made, by a test")), comment_prefix="#")
    assert table.columns == list(COLUMNS)
    assert table["x"].to_list() == XS


def test_equal_figures_give_equal_bytes():
    def make() -> bytes:
        figure = Figure()
        ax = figure.subplots()
        for number in range(5):
            ax.errorbar(XS, YS, yerr=ERRORS, label=f"run {number}")
        ax.legend()
        return figure_csv(figure, "made by a test")

    assert make() == make()
