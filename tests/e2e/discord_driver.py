"""Discord for the shared stories: the real bot in a simulated Discord, used as people use it."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta

import discord
import simcord
from simcord.actors import MemberActor
from simcord.backend.errors import BackendError
from simcord.builders import ChannelHandle, GuildHandle
from simcord.results import InteractionResult, to_discord_message

from bots.announcing import Announcers
from bots.app import App, followed
from bots.card import ButtonKind
from bots.discord_bot.announcing import DiscordAnnouncer
from bots.discord_bot.bot import NightlampBot
from bots.discord_bot.controls import KIND, NOTE, TEXT, control_id
from bots.gap_loop import loop_over
from core.exchanges import Exchange, MessageRef, Person
from core.models import Platform, Question, Vote, Where
from core.reports import IndexOptions
from core.settings import Settings
from tests.e2e.chat import ChatDriver, Shown
from tests.e2e.discord_screen import shown_of
from tests.e2e.world import (
    ANN,
    BEN,
    MONDAYS,
    OPS,
    PAYMENTS,
    PLACES,
    PLANT,
    ROOT,
    Place,
    World,
    at_once,
)
from tests.waiting import PATIENT

EMOJI = {Vote.UP: "\N{THUMBS UP SIGN}", Vote.DOWN: "\N{THUMBS DOWN SIGN}"}


@asynccontextmanager
async def open_discord(world: World, *, answers: str = "thread") -> AsyncIterator["DiscordDriver"]:
    """Start a simulated Discord with two guilds, and the app on it; answers go to threads."""
    env = simcord.Env(discord.Client(intents=discord.Intents(guilds=True)), settle_timeout=PATIENT)
    driver = DiscordDriver(world, env, answers)
    await driver.start()
    try:
        yield driver
    finally:
        await driver.stop()
    env.raise_errors()


class _Speaking:
    """The bot as a channel that announces, while another may take its place."""

    name = "discord"

    def __init__(self, env: simcord.Env) -> None:
        self._env = env

    @property
    def announcer(self) -> DiscordAnnouncer:
        bot = self._env.bot
        assert isinstance(bot, NightlampBot)
        return bot.announcer

    async def run(self) -> None:
        """Do nothing: the bot runs in its simulation."""


def _is_driver(driver: "DiscordDriver") -> ChatDriver:
    return driver


class DiscordDriver:
    """A ChatDriver on simcord. `env`, `people` and `rooms` are there for tests of Discord alone."""

    def __init__(self, world: World, env: simcord.Env, answers: str) -> None:
        self._world = world
        self._answers = answers
        self._running = AsyncExitStack()
        self.env = env
        self.acme = env.create_guild("Acme")
        self.globex = env.create_guild("Globex")
        self.oncall = self.acme.create_role("oncall", mentionable=True)
        self.admins = self.acme.create_role("admins")
        self.rooms: dict[str, ChannelHandle] = {
            place.name: self._guild(place).create_text_channel(place.name) for place in PLACES
        }
        users = {name: env.create_user(name) for name in (ANN, BEN, ROOT)}
        self.people: dict[tuple[str, int], MemberActor] = {}
        for guild in (self.acme, self.globex):
            for name, user in users.items():
                roles = [self.admins] if (name, guild) == (ROOT, self.acme) else []
                self.people[name, guild.id] = guild.add_member(user, roles=roles)
        self._names = {str(user.id): name for name, user in users.items()}

    @property
    def world(self) -> World:
        return self._world

    @property
    def app(self) -> App:
        """Return the app that runs now."""
        return self._app

    def settings(self) -> Settings:
        """Return the settings by which the guilds are mapped and the channels see what they do."""
        channels = [
            {
                "platform": "discord",
                "id": str(self.rooms[place.name].id),
                "scope": {"visibility": list(place.scope.visibility)},
                "answers": self._answers,
            }
            for place in PLACES
        ]
        acme = {
            "name": "acme",
            "discord_guilds": [str(self.acme.id)],
            "admins": {"discord_roles": [str(self.admins.id)]},
            "oncall": {"discord_role": str(self.oncall.id)},
            "digests": [self._digest(OPS), self._digest(PAYMENTS)],
        }
        globex = {
            "name": "globex",
            "discord_guilds": [str(self.globex.id)],
            "digests": [self._digest(PLANT)],
        }
        return self._world.settings(tenants=[acme, globex], channels=channels)

    # --- the app --------------------------------------------------------------------------------

    async def start(self) -> None:
        """Start the app and connect it."""
        await self._open()
        self.env.bot = NightlampBot(self._app)
        await self.env.start()

    async def stop(self) -> None:
        """Disconnect the app and close it."""
        await self.env.shutdown()
        await self._running.aclose()

    async def restart(self) -> None:
        await self._running.aclose()
        await self._open()
        await self.env.restart_bot(NightlampBot(self._app))
        await self.env.settle()

    async def reindex(self) -> None:
        await self._app.library.indexer.run(IndexOptions())

    async def break_index(self) -> None:
        await self._app.library.index.aclose()

    async def _open(self) -> None:
        opened = self._world.open_app(self.settings())
        app = await self._running.enter_async_context(opened)
        announcers = Announcers()
        announcers.speak_by([_Speaking(self.env)])
        self.loop = loop_over(app, announcers, sleep=at_once)
        self._app = followed(app, self.loop)

    def _digest(self, place: Place) -> Mapping[str, object]:
        return {"cron": MONDAYS, "channels": [f"discord:{self.rooms[place.name].id}"]}

    # --- asking ---------------------------------------------------------------------------------

    async def ask(
        self,
        person: str,
        text: str,
        place: Place = OPS,
        *,
        private: bool = False,
        deliveries: int = 1,
    ) -> Shown:
        who, room = self.actor(person, place), self.rooms[place.name]
        if deliveries > 1 or not text.strip():
            bot = self.env.bot.user
            assert bot is not None
            message = await who.send(room, f"{bot.mention} {text}")
            for _ in range(deliveries - 1):
                self.env.bot.dispatch("message", message)
                await self.env.settle()
        else:
            await who.slash(room, "query", text=text, private=private)
        return await self._newest(person, place)

    async def ask_and_crash(self, person: str, text: str, place: Place = OPS) -> None:
        room = Where(Platform.DISCORD, str(self.rooms[place.name].id))
        who = str(self.actor(person, place).id)
        now = self._world.clock.now()
        question = Question(
            text, place.tenant, who, now, room, place.scope, event_id="interaction 1"
        )
        await self._app.service.received(question)

    async def follow_up(self, person: str, text: str, after: Shown) -> Shown | None:
        thread, place = self._place_of(after)
        before = await self._app.journal.counts()
        await self.actor(person, place).send(thread, text)
        now = await self._app.journal.counts()
        same = now["exchanges"] == before["exchanges"]
        return None if same else await self._newest(person, place)

    async def mute(self, person: str, thread: Shown, *, muted: bool = True) -> None:
        channel, place = self._place_of(thread)
        off = {} if muted else {"off": True}
        await self.actor(person, place).slash(channel, "mute", **off)

    async def similar(self, person: str, text: str, place: Place = OPS) -> Shown:
        who = self.actor(person, place)
        return self.said(await who.slash(self.rooms[place.name], "similar", text=text), person)

    async def runbooks(self, person: str, place: Place = OPS) -> Shown:
        who = self.actor(person, place)
        return self.said(await who.slash(self.rooms[place.name], "runbooks"), person)

    # --- what people do with an answer ----------------------------------------------------------

    async def press(
        self, person: str, shown: Shown, button: ButtonKind, **fields: str
    ) -> Shown | None:
        self._tick()
        message = await self._last(shown)
        who = self.actor(person, self._place_of(shown)[1])
        done = await who.click(message, custom_id=control_id(button, shown.exchange_id))
        if button is ButtonKind.TELL_WHY:
            done = await who.submit_modal(done, {KIND: [fields["kind"]], TEXT: fields["text"]})
        return self.said(done, person)

    async def choose(self, person: str, shown: Shown, index: int) -> Shown:
        message = await self._last(shown)
        place = self._place_of(shown)[1]
        menu = next(
            item
            for row in message.components
            for item in row.children
            if isinstance(item, discord.SelectMenu)
        )
        done = await self.actor(person, place).select(message, [menu.options[index].value])
        if done.followups:
            return shown_of([one.message for one in done.followups], only_for=person)
        return await self.reread(shown)

    async def react(self, person: str, shown: Shown, vote: Vote, *, part: int = 0) -> None:
        self._tick()
        message = (await self.standing(shown))[part]
        await self.actor(person, self._place_of(shown)[1]).react(message, EMOJI[vote])

    async def unreact(self, person: str, shown: Shown, vote: Vote, *, part: int = 0) -> None:
        self._tick()
        message = (await self.standing(shown))[part]
        await self.actor(person, self._place_of(shown)[1]).unreact(message, EMOJI[vote])

    async def resolve(self, person: str, shown: Shown, note: str) -> bool:
        place = self._place_of(shown)[1]
        button = control_id(ButtonKind.RESOLVE, shown.exchange_id)
        for message in self._all_messages(place):
            if button in str([row.to_dict() for row in message.components]):
                who = self.actor(person, place)
                form = await who.click(message, custom_id=button)
                done = self.said(await who.submit_modal(form, {NOTE: note}), person)
                return done.title == "Resolved, thank you."
        return False

    # --- looking --------------------------------------------------------------------------------

    async def messages(self, place: Place) -> list[Shown]:
        exchanges: dict[str, Exchange] = {}
        for message in self._all_messages(place):
            ref = MessageRef(Platform.DISCORD, str(message.channel.id), str(message.id))
            exchange = await self._app.journal.exchange_of(ref)
            if exchange is not None and not message.flags.ephemeral:
                exchanges.setdefault(exchange.id, exchange)
        return [self._shown(exchange, "") for exchange in exchanges.values()]

    async def votes(self, shown: Shown) -> Mapping[str, Vote]:
        found = await self._app.journal.votes(shown.exchange_id)
        return {self._names.get(person.user_id, "nobody"): vote for person, vote in found.items()}

    async def counts(self) -> Mapping[str, int]:
        return await self._app.journal.counts()

    def calls(self) -> int:
        everything = [one for place in PLACES for one in self._all_messages(place)]
        return sum(bool(message.role_mentions) for message in everything)

    # --- for tests of Discord alone -------------------------------------------------------------

    def actor(self, person: str, place: Place = OPS) -> MemberActor:
        """Return somebody in the guild of a place."""
        return self.people[person, self._guild(place).id]

    def said(self, done: InteractionResult, person: str) -> Shown:
        """Return what the bot said to a command, a button or a form."""
        first = [done.response] if done.response else []
        messages = [one.message for one in (*first, *done.followups)]
        return shown_of(messages, only_for=person if done.ephemeral else "")

    async def reread(self, shown: Shown) -> Shown:
        """Return an answer as it stands now."""
        exchange = await self._app.journal.exchange(shown.exchange_id)
        assert exchange is not None
        return self._shown(exchange, shown.only_for)

    async def standing(self, shown: Shown) -> Sequence[discord.Message]:
        """Return the messages of an answer that still stand."""
        exchange = await self._app.journal.exchange(shown.exchange_id)
        return [] if exchange is None else self._messages_of(exchange)

    async def _last(self, shown: Shown) -> discord.Message:
        found = await self.standing(shown)
        return next((one for one in reversed(found) if one.components), found[-1])

    async def _newest(self, person: str, place: Place) -> Shown:
        who = Person(Platform.DISCORD, str(self.actor(person, place).id))
        (exchange,) = await self._app.journal.recent(who, 1)
        return self._shown(exchange, person if exchange.question.where.private else "")

    def _shown(self, exchange: Exchange, only_for: str) -> Shown:
        return shown_of(self._messages_of(exchange), exchange.id, only_for=only_for)

    def _messages_of(self, exchange: Exchange) -> list[discord.Message]:
        found = []
        for ref in exchange.messages:
            try:
                stored = self.env.backend.get_message(int(ref.channel_id), int(ref.message_id))
            except BackendError:
                continue
            found.append(to_discord_message(self.env, stored))
        return found

    def _all_messages(self, place: Place) -> list[discord.Message]:
        room = self.rooms[place.name]
        found = [one for channel in (room, *room.threads) for one in channel.history()]
        return sorted(found, key=lambda message: message.id)

    def _place_of(self, shown: Shown) -> tuple[ChannelHandle, Place]:
        """Return the channel or thread that an answer stands in, and the place that it is of."""
        assert isinstance(shown.handle, int)
        for place in PLACES:
            room = self.rooms[place.name]
            for channel in (room, *room.threads):
                if channel.id == shown.handle:
                    return channel, place
        raise AssertionError("The answer stands in no known channel.")

    def _guild(self, place: Place) -> GuildHandle:
        return self.globex if place == PLANT else self.acme

    def _tick(self) -> None:
        """Let time pass: no two people press at once."""
        self._world.clock.advance(timedelta(milliseconds=1))
