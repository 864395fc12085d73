"""How different two colours are, also to readers who see fewer of them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from thinpipe.plot.drawing import Floats

VISIONS: Final = (
    np.eye(3),
    np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
)
"""Linear RGB as readers see it with full colour vision, and without red or green cones: protanopia
and deuteranopia (Machado, Oliveira and Fernandes 2009, table 1, severity 1)."""

DARK: Final = 0.04045
"""Up to this, values of sRGB are proportional to intensities (IEC 61966-2-1)."""

XYZ: Final = np.array(
    [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
)
"""From linear sRGB (IEC 61966-2-1)."""


@cache
def difference(one: str, other: str) -> float:
    """Return how different two colours, as ``#RRGGBB``, are to those who tell them apart least.

    It is the distance in CIELAB (CIE 15, 1976): about 2 is the least that one notices side by side.

    >>> difference("#000000", "#FFFFFF").__round__()
    100
    """
    seen = [[_lab(vision @ _linear(color)) for color in (one, other)] for vision in VISIONS]
    return min(float(np.linalg.norm(first - second)) for first, second in seen)


def farthest(choices: Iterable[str], colors: Iterable[str]) -> str:
    """Return the colour among `choices` that is most different from all `colors`."""
    known = list(colors)
    return max(choices, key=lambda each: min(difference(each, color) for color in known))


def _linear(color: str) -> Floats:
    """Return red, green and blue of a colour as intensities from 0 to 1."""
    values = np.array([int(color[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(values <= DARK, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def _lab(linear: Floats) -> Floats:
    """Return lightness and the two opponent colours, against the white of the screen."""
    relative = XYZ @ np.clip(linear, 0, 1) / (XYZ @ np.ones(3))
    x, y, z = np.where(
        relative > (6 / 29) ** 3, np.cbrt(relative), relative / (3 * (6 / 29) ** 2) + 4 / 29
    )
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])
