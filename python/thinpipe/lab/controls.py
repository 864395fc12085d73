"""What the page offers to set a key with: a slider, a choice, a switch or a field."""

from __future__ import annotations

from typing import Any

from thinpipe.scenario import Key


def control(key: Key) -> dict[str, Any]:
    """Return the control of a key."""
    return {"key": key.name, "kind": "text", "doc": key.doc, "expected": key.expected}
