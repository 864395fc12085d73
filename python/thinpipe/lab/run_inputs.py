"""What a run was given: the values of its keys, and its network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from thinpipe.files import ContentError
from thinpipe.inputs import Inputs, values_of
from thinpipe.network import WIRED, WLAN, Network
from thinpipe.recording import SavedRun
from thinpipe.run import Run
from thinpipe.tables import NoTableError

if TYPE_CHECKING:
    from thinpipe.recording import Recording

    Given = tuple[Mapping[str, str], Network]

_KEPT: Final[WeakKeyDictionary[Recording, Given]] = WeakKeyDictionary()
"""Of runs in use, since a page looks at the same few again and again."""


def values(run: Recording) -> Mapping[str, str]:
    """Return the value of each key of a run.

    Raises
    ------
    NoTableError
        If nobody knows any more.
    """
    return _given(run)[0]


def network(run: Recording) -> Network:
    """Return the network of a run.

    Raises
    ------
    NoTableError
        If nobody knows any more.
    """
    return _given(run)[1]


def radio_mobiles(run: Recording) -> dict[str, str]:
    """Return the mobiles of bearers and cells, each with the name of its link."""
    its = network(run)
    links = [link for link in its.links if link.kind not in (WIRED, WLAN)]
    return {its.nodes[link.ends[1]].name: link.name for link in links}


def _given(run: Recording) -> Given:
    if run not in _KEPT:
        _KEPT[run] = _looked_up(run)
    return _KEPT[run]


def _looked_up(run: Recording) -> Given:
    if isinstance(run, Run):
        return values_of(run.point), Network.of_point(run.point)
    if not isinstance(run, SavedRun):
        raise NoTableError("what the run was given is not at hand")
    try:
        with Inputs.read(run.directory).point(run.scenario.source) as point:
            return values_of(point), Network.of_point(point)
    except (OSError, ContentError, ValueError) as error:
        raise NoTableError(f"what the run was given is not at hand: {error}") from None
