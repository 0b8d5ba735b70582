"""Digests, gaps and being told on Discord, for the shared stories."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import discord
import simcord
from simcord.results import InteractionResult

from bots.card import GapAction
from bots.discord_bot.controls import GAP, NOTE, control_id
from core.exchanges import MessageRef
from core.models import Platform
from tests.e2e.chat import Shown
from tests.e2e.discord_driver import DiscordDriver
from tests.e2e.discord_screen import shown_of
from tests.e2e.gap_chat import GapDriver, Handed
from tests.e2e.world import OPS, Place, World
from tests.waiting import PATIENT


@asynccontextmanager
async def open_discord_gaps(world: World) -> AsyncIterator["DiscordGaps"]:
    """Start a simulated Discord, and the app on it with its digests."""
    env = simcord.Env(discord.Client(intents=discord.Intents(guilds=True)), settle_timeout=PATIENT)
    driver = DiscordGaps(world, env, "thread")
    await driver.start()
    try:
        yield driver
    finally:
        await driver.stop()
    env.raise_errors()


def _is_driver(driver: "DiscordGaps") -> GapDriver:
    return driver


class DiscordGaps(DiscordDriver):
    """A GapDriver on simcord."""

    async def look(self) -> None:
        await self.loop.digests.look()
        await self.env.settle()

    async def digest(self, place: Place = OPS) -> Shown:
        await self.loop.digests.post_now(place.tenant)
        await self.env.settle()
        return (await self.said_in(place))[-1]

    async def said_in(self, place: Place = OPS) -> list[Shown]:
        bot = self.env.bot.user
        assert bot is not None
        return [
            await self._seen(message)
            for message in self._all_messages(place)
            if message.author.id == bot.id and message.embeds and not message.flags.ephemeral
        ]

    async def decide(
        self, person: str, digest: Shown, gap_id: str, action: GapAction, section: str = ""
    ) -> Shown:
        self._tick()
        who = self.actor(person, self._place_of(digest)[1])
        message = self.message_of(digest)
        if f"nl:{GAP}:" in str([row.to_dict() for row in message.components]):
            picked = await who.select(message, [gap_id])
            if not self.said(picked, person).gaps:
                return self.said(picked, person)
            message = _shown(picked)
        done = await who.click(message, custom_id=control_id(action, gap_id))
        if action is GapAction.DONE:
            done = await who.submit_modal(done, {NOTE: section})
        await self.env.settle()
        return self.said(done, person)

    async def command(self, person: str, name: str, typed: str = "", place: Place = OPS) -> Handed:
        options: dict[str, object] = {}
        if name == "gaps":
            options = {"what": typed} if typed else {}
        elif typed:
            options = {typed: True}
        done = await self.actor(person, place).slash(self.rooms[place.name], name, **options)
        files = [file for one in done.followups for file in one.attachments]
        answer = [one.message for one in (done.response, *done.followups) if one and one.embeds]
        shown = shown_of(answer, only_for=person if done.ephemeral else "")
        return Handed(shown, await files[0].read() if files else None)

    async def settle(self) -> None:
        self._tick()
        await self.loop.settle()
        await self.env.settle()

    async def told(self, person: str, asked: Shown | None = None) -> list[Shown]:
        who = self.actor(person)
        channel = self._place_of(asked)[0] if asked else who.user.dm_channel
        found = [await self._seen(message) for message in channel.history() if message.embeds]
        told = [one for one in found if "answer now" in one.title]
        return [one for one in told if asked is None or str(who.id) in one.pings]

    # --- for tests of Discord alone -------------------------------------------------------------

    async def _seen(self, message: discord.Message) -> Shown:
        ref = MessageRef(Platform.DISCORD, str(message.channel.id), str(message.id))
        exchange = await self._app.journal.exchange_of(ref)
        return shown_of([message], exchange.id if exchange else "")

    def message_of(self, shown: Shown) -> discord.Message:
        """Return the newest message that looks like this one."""
        messages = reversed(self._place_of(shown)[0].history())
        return next(one for one in messages if one.embeds and shown_of([one]).raw == shown.raw)


def _shown(done: InteractionResult) -> discord.Message:
    assert done.response is not None
    return done.response.message
