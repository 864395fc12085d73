"""The page's modules as one script, for a page without a server."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

from thinpipe.lab import PAGE

_IMPORT: Final = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+)\.js";\n', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_OTHER: Final = re.compile(r"^(?:import|export)\b.*|\bimport\(.*", re.MULTILINE)


@cache
def bundle(first: str, folder: Path = PAGE) -> str:
    """Return a script that does what the module `first` and all that it imports do.

    Each module is a function of its own, so that two may use the same name within.

    Raises
    ------
    ValueError
        If a module imports or exports in a way that is not rewritten, or modules import each other
        in a circle.
    """
    scripts: dict[str, str] = {}
    _add(first, folder, scripts, ())
    return "\n".join(scripts.values())


def _add(name: str, folder: Path, scripts: dict[str, str], above: tuple[str, ...]) -> None:
    """Add a module after those that it imports."""
    if name in scripts:
        return
    if name in above:
        raise ValueError(f"{name}.js: imports itself by way of {above[-1]}.js")
    text = (folder / f"{name}.js").read_text(encoding="utf-8")
    for found in _IMPORT.finditer(text):
        _add(found[2], folder, scripts, (*above, name))
    body = _IMPORT.sub(lambda found: f"const {{{found[1]}}} = {_variable(found[2])};\n", text)
    exported = [found[1] for found in _EXPORT.finditer(body)]
    body = _EXPORT.sub("", body)
    if (other := _OTHER.search(body)) is not None:
        raise ValueError(f"{name}.js: cannot be put into one script: {other[0]}")
    scripts[name] = (
        f"const {_variable(name)} = (() => {{\n{body}\nreturn {{{', '.join(exported)}}};\n}})();"
    )


def _variable(module: str) -> str:
    return f"module_{module.replace('-', '_')}"
