"""The command line."""

from thinpipe.cli.leaving import leave_tidily, stay
from thinpipe.signals import undisturbed

__all__ = ["main"]


def main() -> None:
    """Run the program and leave with its exit status."""
    leave_tidily()
    with undisturbed():  # Python swallows exceptions in some corners of an import
        from thinpipe.cli.app import program
    try:
        status = program()
    finally:
        stay()
    raise SystemExit(status)
