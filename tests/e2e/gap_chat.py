"""Gaps as people in a chat meet them: what a driver of any platform can do about them."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from bots.card import GapAction
from tests.e2e.chat import ChatDriver, Shown
from tests.e2e.world import OPS, Place, World


@dataclass(frozen=True, slots=True)
class Handed:
    """What a command is answered with; `file` is what came with it for whoever typed it alone."""

    shown: Shown
    file: bytes | None = None


class GapDriver(ChatDriver, Protocol):
    """One platform on which digests are posted, decided on, and askers told."""

    async def look(self) -> None:
        """Post the digests that are due, as the timer does."""
        ...

    async def digest(self, place: Place = OPS) -> Shown:
        """Post the digests of a place's tenant now; returns the one that stands there."""
        ...

    async def said_in(self, place: Place = OPS) -> list[Shown]:
        """Return all that the bot said there for all to see, threads included, in order."""
        ...

    async def decide(
        self, person: str, digest: Shown, gap_id: str, action: GapAction, section: str = ""
    ) -> Shown:
        """Decide on a gap of a digest; returns what the bot says to that person alone."""
        ...

    async def command(self, person: str, name: str, typed: str = "", place: Place = OPS) -> Handed:
        """Type one of the commands about gaps or oneself, such as `gaps` with `own G-7KQ2`."""
        ...

    async def settle(self) -> None:
        """Let the bot look which gaps are answered now, and tell those who asked."""
        ...

    async def told(self, person: str, asked: Shown | None = None) -> list[Shown]:
        """Return what somebody was told of answers: below what they asked, else directly."""
        ...


GapOpener = Callable[[World], AbstractAsyncContextManager[GapDriver]]
