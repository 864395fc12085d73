"""A kernel that runs as a process (Debian's user-mode-linux), with this machine's files."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

MODULES = Path("/usr/lib/uml/modules")
CLOCK = Path(__file__).with_name("uml_time.c")

ENDPOINTS = {
    "tcp.profile": "modern",
    "tcp.cubic.slow_start": "ack-trains",
    "tcp.cubic.alpha": "constant",
    "tcp.cubic.reduction": "whole-segments",
    "tcp.growth": "all-bytes",
    "tcp.min_rto": "200 ms",
    "tcp.abe": "false",
    "tcp.prr_after_marks": "true",
    "tcp.prr_unit": "segments",
}
"""What that kernel's endpoints have, where the profile has what standards ask."""


def missing() -> list[str]:
    """Return the missing apt packages."""
    path = os.pathsep.join((os.environ["PATH"], "/usr/sbin", "/sbin"))
    needed = {"linux.uml": "user-mode-linux", "ip": "iproute2", "modprobe": "kmod", "cc": "gcc"}
    return [package for name, package in needed.items() if shutil.which(name, path=path) is None]


MISSING = missing()


def boot(program: Path, folder: Path, timeout_s: float, **arguments: object) -> Any:
    """Run a Python program as the first process of a kernel, and return what it wrote as JSON.

    The program gets a file with its arguments and one for its result, which is `found` or `error`.
    """
    modules = folder / "root/lib/modules"  # where modprobe looks for them
    modules.parent.mkdir(parents=True, exist_ok=True)
    if not modules.is_symlink():
        modules.symlink_to(MODULES)
    request, result = folder / "request.json", folder / "result.json"
    request.write_text(json.dumps({**arguments, "modules": str(folder / "root")}))
    result.unlink(missing_ok=True)
    first = folder / "init"
    first.write_text(f"#!/bin/sh\nexec {sys.executable} {program} {request} {result}\n")
    first.chmod(0o755)
    files = ("root=/dev/root", "rootfstype=hostfs", "rootflags=/", "rw")
    console = ("con=null", "con0=null,fd:1", "quiet")
    clock = folder / "clock.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", CLOCK, "-o", clock], check=True)
    # The clock would stand while the kernel measures how long its loops take: a number instead.
    kernel = ["linux.uml", *files, *console, "mem=512M", "lpj=1000000", f"init={first}"]
    done = subprocess.run(
        kernel,
        cwd=folder,
        env={**os.environ, "LD_PRELOAD": str(clock)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    if not result.exists():
        raise RuntimeError("\n".join(done.stdout.splitlines()[-20:]))
    answer = json.loads(result.read_text())
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return answer["found"]
