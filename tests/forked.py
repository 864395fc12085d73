"""The program again and again, from one process that has imported all that it uses.

Reads a request a line, starts the program in a fork of itself, and answers with its exit status.
"""

import contextlib
import gc
import json
import os
import signal
import sys

import matplotlib.pyplot as plt  # noqa: F401 - what commands import once they need it
import polars as pl  # noqa: F401
from thinpipe.cli import main
from thinpipe.cli.app import program

LIMIT_S = 300


def become(arguments, folder, environment, streams):
    """Make this process what a shell would have started."""
    for number, path in enumerate([os.devnull, *streams]):
        os.dup2(os.open(path, os.O_RDWR), number)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["thinpipe", *arguments]
    signal.alarm(LIMIT_S)


# Once here, since typer imports most of itself when it is used.
sys.argv = ["thinpipe", "show", "no-such-scenario"]
with contextlib.redirect_stderr(None):
    program()
gc.freeze()  # Else a fork copies what it collects at its end.

for line in sys.stdin:
    if (child := os.fork()) == 0:
        become(**json.loads(line))
        main()
    sys.stdout.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n")
    sys.stdout.flush()
