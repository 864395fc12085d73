"""The scenarios that a page may run, and the keys that it may set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from thinpipe._core import ScenarioError
from thinpipe.controller import KEY, VARIANT, is_of_endpoint
from thinpipe.inputs import names_file, values_of
from thinpipe.lab.controls import control
from thinpipe.lab.copying import keys_of
from thinpipe.lab.request import RequestError, Settings
from thinpipe.point import Point
from thinpipe.scenario import Scenario, keys, named

if TYPE_CHECKING:
    from thinpipe.lab.opening import Row

ALWAYS: Final = ("tcp.variant", "duration")
"""Keys that matter in every scenario, whether it gives them or not."""

NO_CONTROLS: Final = frozenset({"name", "description", "reference", "seed"})
"""Keys of a scenario that say what it is; the page has a field of its own for the seed."""


NEW_GROUP: Final = "flow.group.a-new-one."
"""What the keys of a group begin with that is made to see with which values a group begins."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A scenario that the page may run, with the settings that it was opened with."""

    scenario: Scenario
    settings: Settings = ()


class Catalogue:
    """The scenarios that ship, and those that the command line opened.

    A page can name no file: neither a scenario, nor in a setting, since a controller of a file is
    code. What the command line gave stays allowed. `rows` are the runs of an opened sweep.
    """

    def __init__(self, opened: Mapping[str, Opened], rows: Sequence[Row] = ()) -> None:
        self.rows: Final = rows
        of_names = {name: Opened(each) for name, each in named().items()}
        self._known: Final = {**of_names, **opened}
        self._first: Final = next(iter(opened), "umts-dch-384")
        self._keys: Final = {key.name: key for key in keys()}

    @property
    def first(self) -> str:
        """The scenario that a page begins with."""
        return self._first

    def point(self, name: str, settings: Settings) -> Point:
        """Return a scenario with settings.

        Raises
        ------
        RequestError
            If there is no such scenario, or a setting names a file.
        ScenarioError
            If a setting is wrong.
        """
        opened = self._opened(name)
        given = dict(opened.settings)
        for key, text in settings:
            if _names_file(key, text) and self._values(opened).get(key) != text:
                raise RequestError(f"{key}={text}: a page cannot name files; open the lab with it")
        return Point.of(opened.scenario, {**given, **dict(settings)})

    def _opened(self, name: str) -> Opened:
        if name not in self._known:
            raise RequestError(f"unknown scenario {name!r}: the page has a list of them")
        return self._known[name]

    def listed(self) -> list[dict[str, str]]:
        """Return names and descriptions of all scenarios."""
        return [
            {"name": name, "description": each.scenario.description}
            for name, each in self._known.items()
        ]

    def described(self, name: str) -> dict[str, Any]:
        """Return a scenario's description, values, and the keys that matter in it.

        These are the keys that it gives itself. `values` has all that it could be given, with
        their defaults.
        """
        opened = self._opened(name)
        values = self._values(opened)
        given = {*keys_of(opened.scenario.to_dict()), *(key for key, _ in opened.settings)}
        mattering = [key for key in values if key in given or key in ALWAYS]
        return {
            "name": name,
            "description": values["description"],
            "reference": values["reference"],
            "seed": values["seed"],
            "values": values,
            "keys": [key for key in mattering if key not in NO_CONTROLS],
            "new_group": _of_new_group(opened),
            "controls": {
                key: self._control(key, text)
                for key, text in values.items()
                if key not in NO_CONTROLS
            },
        }

    def documented(self) -> list[dict[str, Any]]:
        """Return the controls of all keys."""
        return [control(key, None) for key in self._keys.values() if key.name not in NO_CONTROLS]

    @staticmethod
    def _values(opened: Opened) -> dict[str, str]:
        """Return the values that a page begins with; a controller of a file with its file."""
        values = values_of(Point.of(opened.scenario, dict(opened.settings)))
        code = {key: text for key, text in opened.settings if is_of_endpoint(key, KEY)}
        return values | code

    def _control(self, name: str, text: str) -> dict[str, Any]:
        """Return the control of a key; members of lists share what is known of `NAME`."""
        key = self._keys.get(name) or next(
            each for pattern, each in self._keys.items() if _matches(pattern, name)
        )
        try:
            number = key.number(text)
        except ScenarioError:  # what follows another key
            number = None
        return {**control(key, number), "key": name}


def _of_new_group(opened: Opened) -> dict[str, str]:
    """Return the values that a group begins with which a setting makes, by what follows its name.

    Its endpoints begin with `[tcp]`. There are none where the scenario takes no other group.
    """
    made = {**dict(opened.settings), f"{NEW_GROUP}count": "1"}
    try:
        values = values_of(Point.of(opened.scenario, made))
    except ScenarioError:
        return {}
    own = {key: text for key, text in values.items() if key.startswith(NEW_GROUP)}
    endpoints = {key: text for key, text in values.items() if key.startswith("tcp.")}
    return {**endpoints, **{key.removeprefix(NEW_GROUP): text for key, text in own.items()}}


def _matches(pattern: str, name: str) -> bool:
    parts, words = pattern.split("."), name.split(".")
    return len(parts) == len(words) and all(
        part in ("NAME", word) for part, word in zip(parts, words, strict=True)
    )


def _names_file(key: str, text: str) -> bool:
    names = any(is_of_endpoint(key, own) for own in (KEY, VARIANT))
    is_code = names and any(part in text for part in (":", "/", ".py"))
    return is_code or names_file(key, text)
