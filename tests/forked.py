"""The program again and again, from one process that has imported all that it uses.

Reads a request a line, starts the program in a fork of itself, and answers with its exit status.
"""

import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import runpy
import signal
import sys

import jinja2  # noqa: F401 - what commands import once they need it
import matplotlib.pyplot as plt  # noqa: F401
import polars as pl  # noqa: F401
import rich.progress  # noqa: F401
import scipy.special  # noqa: F401
import thinpipe
from thinpipe.cli import main
from thinpipe.cli.app import program

LIMIT_S = 300


def become(script, arguments, folder, environment, streams):
    """Make this process what a shell would have started, and run the program, or a script."""
    for number, path in enumerate([os.devnull, *streams]):
        os.dup2(os.open(path, os.O_RDWR), number)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    sys.argv = ["thinpipe", *arguments]
    signal.alarm(LIMIT_S)
    try:
        main() if script is None else runpy.run_path(script)
    except SystemExit as ended:
        leave(ended)


def leave(ended):
    """End as the interpreter does, but free nothing: a fork copies each page that it frees."""
    if isinstance(ended.code, str):
        raise ended
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(ended.code or 0)


with contextlib.suppress(ImportError):
    import distributed  # noqa: F401 - an extra
for each in pkgutil.walk_packages(thinpipe.__path__, "thinpipe."):
    if each.name not in ("thinpipe.__main__", "thinpipe.pytest_plugin"):
        importlib.import_module(each.name)
# Once here, since typer imports most of itself when it is used.
sys.argv = ["thinpipe", "show", "no-such-scenario"]
with contextlib.redirect_stderr(None):
    program()
gc.freeze()  # Else a fork copies what it collects at its end.

for line in sys.stdin:
    if (child := os.fork()) == 0:
        become(**json.loads(line))
    sys.stdout.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n")
    sys.stdout.flush()
