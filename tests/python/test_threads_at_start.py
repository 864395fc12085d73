"""The command line starts no thread before it knows its command: a proxy forks, and namespaces of
one's own are made, before any."""

import subprocess
import sys

COUNT = "import os, thinpipe.cli.app; print(len(os.listdir('/proc/self/task')))"


def test_the_command_line_is_loaded_with_one_thread():
    done = subprocess.run([sys.executable, "-c", COUNT], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"
