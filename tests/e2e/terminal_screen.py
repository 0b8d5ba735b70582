"""The screen of the terminal driver: replies that stand there, and what is seen of them."""

from dataclasses import dataclass

from bots.card import Card
from bots.terminal import Look, card_text
from bots.text import parts
from core.exchanges import MessageRef, Person
from core.models import Platform, Where
from tests.e2e.chat import Shown
from tests.e2e.world import PLACES, Place

MESSAGE_CHARS = 4000
"""Where this terminal cuts a card into messages."""


@dataclass(slots=True)
class Posted:
    """A reply on the screen: where it stands, its messages, and the card that they show."""

    where: Where
    card: Card
    shown: Shown
    messages: list[MessageRef]

    @property
    def place(self) -> Place:
        """Return the place by the name that it has as a channel."""
        return next(place for place in PLACES if place.name == self.where.channel_id)


def seen(card: Card, exchange_id: str = "", only_for: str = "") -> Shown:
    """Return a card as it is printed, cut into messages."""
    printed = card_text(card, Look())
    messages = parts(printed, MESSAGE_CHARS, most=3)
    links = [card.link, *(part.link for part in card.parts), *(pick.link for pick in card.picks)]
    links += [row.link for listing in card.listings for row in listing.rows]
    return Shown(
        tone=card.tone,
        title=card.title,
        text="\n".join(messages),
        raw=printed,
        exchange_id=exchange_id,
        links=tuple(dict.fromkeys(filter(None, links))),
        buttons=tuple(button.kind for button in card.buttons),
        picks=tuple(pick.label for pick in card.picks),
        parts=len(messages),
        only_for=only_for,
    )


def posted(shown: Shown) -> Posted:
    """Return the reply on the screen that this was seen of."""
    assert isinstance(shown.handle, Posted)
    return shown.handle


def somebody(name: str) -> Person:
    """Return a person of this platform."""
    return Person(Platform.TERMINAL, name)
