"""Mobile IP bindings: at which address a mobile is reached."""

from __future__ import annotations

from typing import Final

AGENT: Final = "/mobility"
"""Suffix of an agent's name, after the name of its node."""


class Bindings:
    """The care-of address that each agent has for each address."""

    def __init__(self) -> None:
        self._of: Final[dict[str, dict[str, str]]] = {}

    def bind(self, agent: str, address: str, care_of: str) -> None:
        """Record that an agent binds an address to a care-of address."""
        of = self._of.setdefault(address, {})
        of.pop(agent, None)
        of[agent] = care_of  # the newest is last

    def unbind(self, agent: str, address: str) -> None:
        """Record that an agent's binding has ended."""
        self._of.get(address, {}).pop(agent, None)

    def end(self, address: str) -> str:
        """Return the final destination of packets for an address, after all bindings.

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
