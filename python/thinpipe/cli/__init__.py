"""The command line."""

from thinpipe.cli.exit_signals import exit_on_signals, ignore_signals
from thinpipe.signals import signals_deferred

__all__ = ["main"]


def main() -> None:
    """Run the program and exit with its status."""
    exit_on_signals()
    with signals_deferred():  # some code in imports swallows exceptions
        from thinpipe.cli.app import program
    try:
        status = program()
    finally:
        ignore_signals()
    raise SystemExit(status)
