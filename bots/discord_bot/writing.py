"""What a language model wrote, added on Discord to an answer that stands already: in one edit."""

import logging
from collections.abc import Sequence

import discord

from bots.app import App
from bots.card import Card, Part
from bots.desk import Desk, Worded
from bots.discord_bot.delivery import FAILURES, Payload, Way, deliver, in_channel, payloads
from bots.discord_bot.events import message_ref
from bots.discord_bot.inflight import InFlight
from bots.discord_bot.markup import discord_markup
from bots.discord_bot.posting import Posting
from bots.written_cards import with_written, written_card
from core.errors import NightlampError
from core.models import Where

log = logging.getLogger(__name__)


class Writing:
    """Adds written answers, beside everything else: nobody waits for them."""

    def __init__(self, app: App, desk: Desk, posting: Posting, inflight: InFlight) -> None:
        self._app = app
        self._desk = desk
        self._posting = posting
        self._inflight = inflight

    def start(
        self, worded: Worded, where: Where, sent: Sequence[discord.Message], ways: Sequence[Way]
    ) -> None:
        """Have something written for an answer that was sent, where a model is configured."""
        if self._app.scribe is not None and worded.reply is not None:
            self._inflight.start(self._write(worded, where, sent, ways), "writing")

    async def _write(
        self, worded: Worded, where: Where, sent: Sequence[discord.Message], ways: Sequence[Way]
    ) -> None:
        part = await self._desk.written(worded)
        if part is None or worded.reply is None:
            return
        exchange_id = worded.reply.exchange_id
        refs = [message_ref(one.channel.id, one.id) for one in sent]
        async with self._app.turns.of(exchange_id):
            try:
                if await self._desk.may_add_to(exchange_id, refs):
                    await self._add(exchange_id, worded.card, part, where, sent, ways)
            except (NightlampError, *FAILURES) as error:
                log.warning("%s: what was written is not shown: %r", exchange_id, error)

    async def _add(
        self,
        exchange_id: str,
        card: Card,
        part: Part,
        where: Where,
        sent: Sequence[discord.Message],
        ways: Sequence[Way],
    ) -> None:
        """Edit the last message, or send one more where the part would move what stands there."""
        before = self._posting.shown(exchange_id, card, where)
        after = self._posting.shown(exchange_id, with_written(card, part), where)
        if len(before) == len(sent) and only_adds(before, after, part):
            await sent[-1].edit(**after[-1].changed())
            return
        further = payloads(written_card(part, exchange_id), private=where.private)
        if len(further) > 1:
            log.info("%s: what was written is too long to be shown", exchange_id)
            return
        beside = list(ways) if where.private else [in_channel(sent[-1].channel)]
        got, _ = await deliver(further[0], beside, exchange_id)
        if got is not None:
            await self._posting.record(exchange_id, got, len(sent))


def only_adds(before: Sequence[Payload], after: Sequence[Payload], part: Part) -> bool:
    """Return whether messages differ by the whole part being added to the last, and no more."""
    old, new = _texts(before), _texts(after)
    if len(before) != len(after) or len(old) != len(new) or old[:-1] != new[:-1]:
        return False
    pairs = zip(old[-1], new[-1], strict=False)
    same = next((at for at, (a, b) in enumerate(pairs) if a != b), len(old[-1]))
    rest = old[-1][same:]
    whole = discord_markup(part.text).text.strip()
    return new[-1].endswith(rest) and len(new[-1]) > len(old[-1]) and whole in new[-1]


def _texts(shown: Sequence[Payload]) -> list[str]:
    return [embed.description or "" for one in shown for embed in one.post.embeds]
