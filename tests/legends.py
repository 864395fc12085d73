"""Legends as a person reads them."""

import numpy as np


def entries(ax):
    """Return the entries of a legend row by row; matplotlib keeps them column by column."""
    legend = ax.get_legend()
    if legend is None:
        return []
    texts = [text.get_text() for text in legend.get_texts()]
    columns = [list(each) for each in np.array_split(texts, legend._ncols)]
    rows = range(max(map(len, columns)))
    return [str(column[row]) for row in rows for column in columns if row < len(column)]
