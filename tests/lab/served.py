"""A lab that runs as users start it."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LIMIT_S = 60
ADDRESS = re.compile(r".* (http://\S+)/\?token=(\S+)")


@dataclass(frozen=True)
class Served:
    """A running ``thinpipe lab``, where it is and what opens it."""

    process: subprocess.Popen[bytes]
    origin: str
    token: str
    said: Path

    @property
    def address(self) -> str:
        """What it printed, to be opened in a browser."""
        return f"{self.origin}/?token={self.token}"

    @property
    def port(self) -> int:
        return int(self.origin.rpartition(":")[2])

    @property
    def host(self) -> str:
        return self.origin.rpartition("/")[2]

    def errors(self) -> str:
        """Return what it wrote on standard error beyond its address."""
        return ADDRESS.sub("", self.said.read_text(encoding="utf-8")).strip()

    def end(self) -> None:
        """End it, by its number alone."""
        self.process.terminate()
        try:
            self.process.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    @classmethod
    @contextlib.contextmanager
    def started(cls, folder: Path, *arguments: str, state: Path, port: int) -> Iterator[Served]:
        """Start ``thinpipe lab`` with `arguments` in an empty folder, and end it at last."""
        said = folder / "said"
        command = [sys.executable, "-m", "thinpipe", "lab", "--no-open", "--port", str(port)]
        environment: dict[str, Any] = {**os.environ, "XDG_STATE_HOME": str(state)}
        with said.open("wb") as stream:
            process = subprocess.Popen(
                [*command, *arguments], cwd=folder, env=environment, stdout=stream, stderr=stream
            )
        give_up_s = time.monotonic() + LIMIT_S
        while (found := ADDRESS.search(said.read_text(encoding="utf-8"))) is None:
            ended = process.poll()
            if ended is not None or time.monotonic() > give_up_s:
                process.kill()
                process.wait()
                raise AssertionError(said.read_text(encoding="utf-8"))
            time.sleep(0.02)
        served = cls(process, found[1], found[2], said)
        try:
            yield served
        finally:
            served.end()
