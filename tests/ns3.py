"""Programs of ns-3, as Debian packages it."""

import shutil
import subprocess
from pathlib import Path


def missing() -> list[str]:
    """Return the missing apt packages."""
    if shutil.which("g++") is None:
        return ["g++"]
    program = "#if !__has_include(<ns3/internet-module.h>)\n#error\n#endif"
    command = ["g++", "-E", "-x", "c++", "-", "-o", "/dev/null"]
    done = subprocess.run(command, input=program.encode(), capture_output=True, check=False)
    return [] if done.returncode == 0 else ["libns3-dev"]


MISSING = missing()


def compiled(source: Path, folder: Path, *modules: str) -> Path:
    """Compile a program against these modules of ns-3, and return it."""
    program = folder / source.stem
    libraries = [f"-lns3-{name}" for name in modules]
    subprocess.run(["g++", "-std=c++17", str(source), "-o", str(program), *libraries], check=True)
    return program
