"""Ctrl-C while the program starts; the package imports this before all else.

Python's own handler raises KeyboardInterrupt, and in the midst of imports that is a traceback. The
default action ends the program, as SIGTERM does, until `thinpipe.cli` has handlers for both. Any
other program that imports the package keeps the handler that it has.
"""

import signal
import sys
from os.path import basename

_main = sys.orig_argv[-len(sys.argv) :][:1]
"""The script or module that the interpreter runs: what comes before the program's arguments.

Of `python -mthinpipe` it has the option as well.
"""

if (
    [basename(each).removeprefix("-m") for each in _main]  # noqa: PTH119 - pathlib takes its time
    == ["thinpipe"]
    and signal.getsignal(signal.SIGINT) is signal.default_int_handler
):
    signal.signal(signal.SIGINT, signal.SIG_DFL)
