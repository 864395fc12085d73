"""Programs of ns-3, as Debian packages it, or of the newer one that the package index has."""

import shutil
import subprocess
import sys
from pathlib import Path

WHEEL = "ns3==3.44.post0"
HOME = Path(__file__).parents[1] / "target/ns3-3.44"


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
    """Compile a program against these modules of Debian's ns-3, and return it."""
    libraries = [f"-lns3-{name}" for name in modules]
    return _compiled(source, folder, "-std=c++17", *libraries)


def lacking() -> str | None:
    """Return what ns-3.44 lacks on this machine and cannot be had, after an attempt to get it."""
    if shutil.which("g++") is None:
        return "g++"
    if not (HOME / "ns3").is_dir():
        # Without what it depends on: programs in C++ need no Python.
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
        done = subprocess.run([*pip, str(HOME), WHEEL], capture_output=True, check=False)
        return WHEEL if done.returncode else None
    return None


def compiled_with_wheel(source: Path, folder: Path, *modules: str) -> Path:
    """Compile a program against these modules of ns-3.44, and return it."""
    libraries = HOME / "ns3/lib64"
    return _compiled(
        source,
        folder,
        "-std=c++20",
        f"-I{HOME / 'ns3/include'}",
        f"-L{libraries}",
        f"-Wl,-rpath,{libraries},--allow-shlib-undefined",
        *(f"-l:libns3.44-{name}.so" for name in modules),
    )


def _compiled(source: Path, folder: Path, *options: str) -> Path:
    program = folder / source.stem
    subprocess.run(["g++", "-O1", str(source), "-o", str(program), *options], check=True)
    return program
