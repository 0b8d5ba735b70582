"""Chat as people see it: what a driver of any platform can do, and what it shows for it."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol

from bots.card import ButtonKind, Tone
from core.models import Vote
from tests.e2e.world import OPS, Place, World


@dataclass(frozen=True, slots=True)
class Shown:
    """One reply of the bot, with all messages that it takes, as a person sees it.

    `text` is all that is read below the title, over all parts, with the platform's escaping undone:
    fences and inline code in it are byte-exact. `links` are all URLs that can be followed, `picks`
    the labels of the other results on offer, `gaps` the names of the gaps that can be decided on,
    `parts` the number of messages. `only_for` is who
    alone sees it; empty where all do. `raw` is what was sent, as it was sent, and `pings` whom that
    would notify. `exchange_id` is empty on what answers no question. `handle` is the driver's own.
    """

    tone: Tone
    title: str
    text: str
    raw: str
    exchange_id: str = ""
    links: tuple[str, ...] = ()
    buttons: tuple[ButtonKind, ...] = ()
    picks: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    parts: int = 1
    only_for: str = ""
    pings: tuple[str, ...] = ()
    handle: object = field(default=None, compare=False, repr=False)

    @property
    def all(self) -> str:
        """Return everything that could be read on it, for saying what must not be there."""
        return "\n".join((self.title, self.text, self.raw, *self.picks, *self.links))


class ChatDriver(Protocol):
    """One platform with the app on it, used as people use it. People and places have names."""

    @property
    def world(self) -> World:
        """Return the pages and the clock of this run."""
        ...

    async def ask(
        self,
        person: str,
        text: str,
        place: Place = OPS,
        *,
        private: bool = False,
        deliveries: int = 1,
    ) -> Shown:
        """Ask in the platform's usual way; `deliveries` is how often it hands over the event."""
        ...

    async def ask_and_crash(self, person: str, text: str, place: Place = OPS) -> None:
        """Ask, and end the app as a crash would once the question is received; then `restart`."""
        ...

    async def follow_up(self, person: str, text: str, after: Shown) -> Shown | None:
        """Say something in the thread of an answer, unmentioned; None if the bot keeps quiet."""
        ...

    async def mute(self, person: str, thread: Shown, *, muted: bool = True) -> None:
        """Silence the bot in the thread of an answer, or wake it."""
        ...

    async def similar(self, person: str, text: str, place: Place = OPS) -> Shown:
        """Ask for past incidents."""
        ...

    async def runbooks(self, person: str, place: Place = OPS) -> Shown:
        """Ask what there is."""
        ...

    async def press(
        self, person: str, shown: Shown, button: ButtonKind, **fields: str
    ) -> Shown | None:
        """Press a button, fill in the form that it opens; returns what the bot says, if anything.

        `fields` of "Tell us why" are `kind` and `text`. Refused, it is said to the person alone.
        """
        ...

    async def choose(self, person: str, shown: Shown, index: int) -> Shown:
        """Pick one of `shown.picks`; returns what then stands in the answer's place."""
        ...

    async def react(self, person: str, shown: Shown, vote: Vote, *, part: int = 0) -> None:
        """Put up a thumb on one of the messages of an answer."""
        ...

    async def unreact(self, person: str, shown: Shown, vote: Vote, *, part: int = 0) -> None:
        """Take a thumb back."""
        ...

    async def resolve(self, person: str, shown: Shown, note: str) -> bool:
        """Say that what a human was asked is resolved; False if that was said before."""
        ...

    async def messages(self, place: Place) -> list[Shown]:
        """Return the bot's replies that stand there for all to see, threads included, in order."""
        ...

    async def votes(self, shown: Shown) -> Mapping[str, Vote]:
        """Return each person's vote on an answer."""
        ...

    async def counts(self) -> Mapping[str, int]:
        """Return how many rows of each kind the journal has, as `status` tells."""
        ...

    def calls(self) -> int:
        """Return how often the people on call were called."""
        ...

    async def reindex(self) -> None:
        """Read the pages again."""
        ...

    async def restart(self) -> None:
        """Stop the app (unless it has crashed) and start it again on the same data folder."""
        ...

    async def break_index(self) -> None:
        """Make the index unreadable, until the next restart."""
        ...


DriverOpener = Callable[[World], AbstractAsyncContextManager[ChatDriver]]
"""Starts the app on a platform. Private answers carry buttons where nobody can react."""
