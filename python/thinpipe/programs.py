"""The programs of others that parts of thinpipe run."""

from __future__ import annotations

import shutil
from typing import Final

PACKAGES: Final = {
    "ip": "iproute2",
    "nft": "nftables",
    "nsenter": "util-linux",
    "unshare": "util-linux",
}
"""The packages that they are in."""


def lacking(*programs: str) -> str | None:
    """Return in one line which of these programs is missing, ``None`` if all are there."""
    missing = (program for program in programs if shutil.which(program) is None)
    return next((f"needs {name}, which is in {PACKAGES[name]}" for name in missing), None)
