"""Sweeps: a scenario over a grid of settings and seeds, one row per run."""

from thinpipe.sweep.running import sweep
from thinpipe.sweep.study import Study

__all__ = ["Study", "sweep"]
