"""The command line."""

from thinpipe.cli.app import main

__all__ = ["main"]
