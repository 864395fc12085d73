"""The lab: a page on which every change of a setting runs the experiment anew."""

from pathlib import Path
from typing import Final

PAGE: Final = Path(__file__).parent / "page"
"""The files of its pages."""
