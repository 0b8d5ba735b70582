"""Questions that come by a message: mentions, talks in threads, direct messages."""

import logging
from dataclasses import replace

import discord

from bots.app import App
from bots.card import Card
from bots.discord_bot.answering import MESSAGE, Answering
from bots.discord_bot.controls import guild_menu
from bots.discord_bot.delivery import NOBODY, Way, in_channel, say, to_person
from bots.discord_bot.events import asked_text, mentions_of, person, where_of
from bots.discord_bot.guilds import Guilds, Here
from bots.limits import Limits
from bots.notes import limited_card, unmapped_card
from core.errors import JournalUnavailable
from core.models import Platform, Question, Where

log = logging.getLogger(__name__)

_PLACE = "direct messages"


class Listening:
    """Answers messages that are for the bot, and keeps quiet about all others."""

    def __init__(
        self,
        client: discord.Client,
        app: App,
        guilds: Guilds,
        limits: Limits,
        answering: Answering,
    ) -> None:
        self._client = client
        self._app = app
        self._guilds = guilds
        self._limits = limits
        self._answering = answering

    async def by_message(self, message: discord.Message) -> None:
        """Answer a mention, a follow-up in a thread of the bot's, or a direct message."""
        if message.author.bot or message.is_system() or self._client.user is None:
            return
        if message.guild is None:
            await self._by_direct_message(message)
            return
        here = self._guilds.here(message.guild.id, message.channel)
        mentioned = self._mentioned(message)
        if here is None:
            if mentioned:
                card = unmapped_card(Platform.DISCORD, str(message.guild.id))
                await self._say_in(message, card, Where(Platform.DISCORD, str(message.channel.id)))
            return
        if here.room.mode != "mention":
            return
        try:
            follows = await self._follows(message, here.where, mentioned=mentioned)
        except JournalUnavailable:  # whoever asked is told so, as soon as it is to be saved
            log.exception("message %d: what it follows is not known", message.id)
            follows, mentioned = None, mentioned or self._in_own_thread(message)
        if mentioned or follows is not None:
            await self._by_message_in(message, here, follows)

    def _mentioned(self, message: discord.Message) -> bool:
        own = self._client.user
        role = message.guild.self_role if message.guild else None
        by_role = role is not None and role.id in message.raw_role_mentions
        return by_role or (own is not None and own in message.mentions)

    async def _follows(
        self, message: discord.Message, where: Where, *, mentioned: bool
    ) -> str | None:
        """Return the exchange that a message follows: in a thread the last, else none."""
        if not where.thread_id:
            return None
        if mentioned:
            known = await self._app.journal.thread(where)
            return known.exchange_id if known else None
        if not self._in_own_thread(message):
            return None
        thread = await self._app.service.listens(where, str(message.author.id))
        return thread.exchange_id if thread else None

    def _in_own_thread(self, message: discord.Message) -> bool:
        """Return whether something is said in a thread that the bot opened."""
        own, channel = self._client.user, message.channel
        opened = isinstance(channel, discord.Thread) and own and channel.owner_id == own.id
        return bool(opened and message.content)

    async def _by_message_in(
        self, message: discord.Message, here: Here, follows: str | None
    ) -> None:
        private = here.room.answers == "private"
        where = replace(here.where, private=private)
        wait = self._limits.take(person(message.author), where)
        if wait is not None:
            await self._say_in(message, limited_card(wait), where)
            return
        own, role = self._client.user, message.guild.self_role if message.guild else None
        text = asked_text(message.content, *mentions_of(own.id if own else 0, role))
        question = self._question(message, text, here, where, follows)
        ways = self._ways_after(message, private=private)
        exchange_id = await self._answering.received(question, ways)
        if exchange_id is None:
            return
        if here.room.answers == "thread" and isinstance(message.channel, discord.TextChannel):
            question, ways = await self._answering.in_thread(
                message.channel, message.id, question, ways
            )
        await self._answering.answer(exchange_id, question, ways)

    def _question(
        self, message: discord.Message, text: str, here: Here, where: Where, follows: str | None
    ) -> Question:
        return Question(
            text=text,
            tenant=here.tenant.name,
            asked_by=str(message.author.id),
            asked_at=self._app.clock.now(),
            where=where,
            scope=here.room.scope,
            follows=follows,
            event_id=f"{MESSAGE} {message.id}",
        )

    def _ways_after(self, message: discord.Message, *, private: bool) -> list[Way]:
        if private:
            return [to_person(message.author)]
        reply = message.to_reference(fail_if_not_exists=False)
        return [in_channel(message.channel, reply), to_person(message.author)]

    async def _say_in(self, message: discord.Message, card: Card, where: Where) -> None:
        ways = self._ways_after(message, private=where.private)
        await say(card, ways, f"{MESSAGE} {message.id}")

    # --- in direct messages ---------------------------------------------------------------------

    async def _by_direct_message(self, message: discord.Message) -> None:
        guilds = await self._guilds.of(message.author)
        if len(guilds) > 1:
            await message.channel.send(
                "Whose runbooks shall I search?",
                view=guild_menu(guilds, message.id),
                allowed_mentions=NOBODY,
            )
        elif guilds:
            await self.in_direct_message(message, guilds[0].id)
        else:
            where = where_of(message.channel)
            await self._say_in(message, unmapped_card(Platform.DISCORD, _PLACE), where)

    async def in_direct_message(self, message: discord.Message, guild_id: int) -> None:
        """Answer a direct message from the runbooks of a guild, as everyone there may see them."""
        here = self._guilds.in_guild(guild_id, message.channel)
        if here is None:
            return
        wait = self._limits.take(person(message.author), here.where)
        if wait is not None:
            await self._say_in(message, limited_card(wait), here.where)
            return
        try:
            thread = await self._app.service.listens(here.where, str(message.author.id))
        except JournalUnavailable:
            log.exception("message %d: what it follows is not known", message.id)
            thread = None
        follows = thread.exchange_id if thread else None
        question = self._question(message, message.content, here, here.where, follows)
        ways = self._ways_after(message, private=True)
        exchange_id = await self._answering.received(question, ways)
        if exchange_id is not None:
            await self._answering.answer(exchange_id, question, ways)
