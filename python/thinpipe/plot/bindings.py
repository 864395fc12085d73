"""By which address a mobile is reached, from what its agents tell."""

from __future__ import annotations

from typing import Final

AGENT: Final = "/mobility"
"""What the name of an agent ends in, after that of its node."""


class Bindings:
    """To which address each agent sends what is for another one."""

    def __init__(self) -> None:
        self._of: Final[dict[str, dict[str, str]]] = {}

    def bind(self, agent: str, address: str, care_of: str) -> None:
        """Take in that an agent binds an address to another one from now on."""
        of = self._of.setdefault(address, {})
        of.pop(agent, None)
        of[agent] = care_of  # the newest comes last

    def unbind(self, agent: str, address: str) -> None:
        """Take in that a binding of an agent has ended."""
        self._of.get(address, {}).pop(agent, None)

    def end(self, address: str) -> str:
        """Return where what is for an address is sent in the end.

        >>> bindings = Bindings()
        >>> bindings.bind("MAP", "MN@MAP", "MN@AR1")
        >>> bindings.end("MN")
        'MN'
        >>> bindings.bind("HA", "MN", "MN@MAP")
        >>> bindings.end("MN")
        'MN@AR1'
        """
        seen = {address}
        while of := self._of.get(address):
            address = next(reversed(of.values()))
            if address in seen:
                break
            seen.add(address)
        return address
