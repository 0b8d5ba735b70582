"""The Slack channel as people use it, over a fake Slack: the real app, Bolt and SDK in between."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from bots.announcing import Announcers
from bots.app import App, followed
from bots.card import ButtonKind
from bots.gap_loop import loop_over
from bots.slack_bot.bot import Patience, SlackChannel
from bots.slack_bot.encoding import escaped
from core.models import Vote
from core.reports import IndexOptions
from core.settings import Settings
from tests.e2e import slack_payloads as payloads
from tests.e2e.chat import Shown
from tests.e2e.fake_slack import FakeSlack
from tests.e2e.slack_payloads import Payload
from tests.e2e.slack_screen import begins, button, choice, seen
from tests.e2e.world import ANN, BEN, MONDAYS, OPS, PAYMENTS, PLANT, ROOT, Place, World, at_once
from tests.waiting import PATIENT

USERS = {ANN: "U0ANN", BEN: "U0BEN", ROOT: "U0ROOT"}
NAMES = {user: name for name, user in USERS.items()}
CHANNELS = {OPS: "C0OPS", PAYMENTS: "C0PAYMENTS", PLANT: "C0PLANT"}
TEAMS = {"acme": payloads.TEAM, "globex": "T0GLOBEX"}
PATIENCE = Patience(saving=PATIENT, ending=0.0)
SLACK_NAMES = {Vote.UP: "+1::skin-tone-3", Vote.DOWN: "thumbsdown"}


@dataclass
class Standing:
    """Where a reply stands: its messages as they are there, and who alone sees them."""

    place: Place
    messages: list[Payload]
    only_for: str = ""


@asynccontextmanager
async def open_slack(
    world: World, *, way: str = "mention", patience: Patience = PATIENCE, **settings: Any
) -> AsyncIterator["SlackDriver"]:
    """Start a fake Slack and the app on it; questions are asked by `way`: mention or command.

    `settings` replace those of the scenarios.
    """
    async with FakeSlack().running() as slack:
        driver = SlackDriver(world, slack, way, patience, settings)
        await driver.start()
        try:
            yield driver
        finally:
            await driver.stop()
        assert slack.wrong == []


def slack_settings(world: World, slack: FakeSlack, /, **more: Any) -> Settings:
    """Return settings for two workspaces, one of whose channels sees more."""
    payments = {
        "platform": "slack",
        "id": CHANNELS[PAYMENTS],
        "scope": {"visibility": list(PAYMENTS.scope.visibility)},
    }
    usual = {
        "slack": {
            "bot_token": slack.bot_token,
            "app_token": slack.app_token,
            "api_url": slack.base_url,
        },
        "tenants": [
            {
                "name": "acme",
                "slack_teams": [TEAMS["acme"]],
                "admins": {"slack_users": [USERS[ROOT]]},
                "oncall": {"slack_usergroup": "S1"},
                "digests": [digest(OPS), digest(PAYMENTS)],
            },
            {
                "name": "globex",
                "slack_teams": [TEAMS["globex"]],
                "digests": [digest(PLANT)],
            },
        ],
        "channels": [payments],
        "limits": {"per_person": 1000, "per_channel": 1000},
    }
    return world.settings(**{**usual, **more})


def digest(place: Place) -> Mapping[str, Any]:
    """Return the setting of a digest for a place."""
    return {"cron": MONDAYS, "channels": [f"slack:{CHANNELS[place]}"]}


class SlackDriver:
    """A ChatDriver on Slack."""

    def __init__(
        self,
        world: World,
        slack: FakeSlack,
        way: str,
        patience: Patience,
        settings: Mapping[str, Any],
    ) -> None:
        self._world = world
        self._way = way
        self.patience = patience
        self._settings = settings
        self.slack = slack
        self._running = AsyncExitStack()
        self._task: asyncio.Task[None] | None = None
        self.waited: list[float] = []

    @property
    def world(self) -> World:
        return self._world

    async def start(self) -> None:
        """Start the app, and wait until Slack has it connected and nothing is left to answer."""
        settings = slack_settings(self._world, self.slack, **self._settings)
        app = await self._running.enter_async_context(self._world.open_app(settings))
        announcers = Announcers()
        self.loop = loop_over(app, announcers, sleep=at_once)
        self.app: App = followed(app, self.loop)
        await self.start_channel(self.app)
        announcers.speak_by([self.channel])

    async def start_channel(self, app: App) -> None:
        """Start the channel over an app that is open already."""
        self.channel = SlackChannel(app, patience=self.patience, sleep=self._wait)
        self._task = asyncio.create_task(self.channel.run())
        await self.slack.until(lambda: self.slack.connected)
        await self.channel.tasks.idle()

    async def stop(self) -> None:
        """Stop the app; what stands on Slack stays there."""
        await self.stop_channel()
        await self._running.aclose()

    async def stop_channel(self) -> None:
        """Stop the channel alone."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None
        await self.slack.until(lambda: not self.slack.connected)

    async def restart(self) -> None:
        if self._task is not None:
            await self.stop()
        await self.start()

    async def _wait(self, seconds: float) -> None:
        self.waited.append(seconds)

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
        kind, payload = self._asking(person, text, place, private=private)
        reply = await self._reply_to(
            place, lambda: self._deliver(kind, payload, deliveries=deliveries)
        )
        assert reply is not None
        return reply

    async def ask_and_crash(self, person: str, text: str, place: Place = OPS) -> None:
        kind, payload = self._asking(person, text, place, private=False)
        self.slack.stuck = True
        await self.slack.hand_over(kind, payload)
        await self.slack.until(lambda: self.slack.called("chat.postMessage"))
        await self.stop()
        self.slack.stuck = False

    async def follow_up(self, person: str, text: str, after: Shown) -> Shown | None:
        standing = _standing(after)
        said = payloads.said(
            escaped(text),
            USERS[person],
            CHANNELS[standing.place],
            thread=_root(standing.messages[0]),
        )
        return await self._reply_to(standing.place, lambda: self._event(said, standing.place))

    async def mute(self, person: str, thread: Shown, *, muted: bool = True) -> None:
        standing = _standing(thread)
        root = _root(standing.messages[0])
        channel = CHANNELS[standing.place]
        word = "mute" if muted else "unmute"
        said = payloads.mention(word, USERS[person], channel, thread=root)
        await self._event(said, standing.place)
        await self.channel.tasks.idle()

    async def similar(self, person: str, text: str, place: Place = OPS) -> Shown:
        return await self._typed(person, f"similar {text}", place)

    async def runbooks(self, person: str, place: Place = OPS) -> Shown:
        return await self._typed(person, "runbooks", place)

    async def _typed(self, person: str, text: str, place: Place) -> Shown:
        payload = self._command("/nightlamp", person, text, place)
        reply = await self._reply_to(place, lambda: self._deliver("slash_commands", payload))
        assert reply is not None
        return reply

    # --- what people do with an answer ----------------------------------------------------------

    async def press(
        self, person: str, shown: Shown, button_kind: ButtonKind, **fields: str
    ) -> Shown | None:
        on = _standing(shown)
        opened = len(self.slack.views)
        noted = len(self.slack.ephemerals)
        await self._press(person, on, button(on.messages, button_kind))
        if len(self.slack.views) > opened:
            await self.submit(person, self.slack.views[-1], fields)
        return self._note(on.place, noted)

    async def choose(self, person: str, shown: Shown, index: int) -> Shown:
        on = _standing(shown)
        noted = len(self.slack.ephemerals)
        await self._press(person, on, choice(on.messages, index))
        refused = self._note(on.place, noted)
        if refused is not None:
            return refused
        first = on.messages[0]["ts"]
        return next(one for one in self._standing_in(on.place) if _ts(one) == first)

    async def react(self, person: str, shown: Shown, vote: Vote, *, part: int = 0) -> None:
        await self._react(person, shown, vote, part, added=True)

    async def unreact(self, person: str, shown: Shown, vote: Vote, *, part: int = 0) -> None:
        await self._react(person, shown, vote, part, added=False)

    async def resolve(self, person: str, shown: Shown, note: str) -> bool:
        call = next(
            one
            for one in self._standing_in(OPS)
            if one.buttons == (ButtonKind.RESOLVE,) and shown.exchange_id in one.all
        )
        said = await self.press(person, call, ButtonKind.RESOLVE, note=note)
        assert said is not None
        return said.title == "Resolved, thank you."

    async def _press(self, person: str, on: Standing, action: Mapping[str, Any]) -> None:
        channel, user = CHANNELS[on.place], USERS[person]
        payload = payloads.pressed(
            action,
            on.messages[0],
            user,
            channel,
            url=self.slack.response_url(user, channel),
            trigger=self.slack.trigger(),
            ephemeral=bool(on.only_for),
            team=TEAMS[on.place.tenant],
        )
        await self._deliver("interactive", payload)
        await self.channel.tasks.idle()

    async def submit(self, person: str, view: Payload, fields: Mapping[str, str]) -> Payload:
        """Send a form; returns what Slack is answered, which keeps it open where it has errors."""
        values = {
            block["block_id"]: _filled(block["element"]["type"], fields[block["block_id"]])
            for block in view["blocks"]
        }
        sent = payloads.submitted(view, values, USERS[person])
        acknowledged = await self.slack.hand_over("interactive", sent)
        await self.channel.tasks.idle()
        return dict(acknowledged.get("payload") or {})

    async def _react(
        self, person: str, shown: Shown, vote: Vote, part: int, *, added: bool
    ) -> None:
        on = _standing(shown)
        ts = on.messages[part]["ts"]
        name = SLACK_NAMES[vote]
        self._world.clock.advance(timedelta(milliseconds=1))
        now = f"{self._world.clock.now().timestamp():.6f}"
        inner = payloads.reaction(
            name, USERS[person], CHANNELS[on.place], ts, added=added, event_ts=now
        )
        await self._event(inner, on.place)

    # --- looking --------------------------------------------------------------------------------

    async def messages(self, place: Place) -> list[Shown]:
        return self._standing_in(place)

    async def votes(self, shown: Shown) -> Mapping[str, Vote]:
        found = await self.app.journal.votes(shown.exchange_id)
        return {NAMES.get(person.user_id, "nobody"): vote for person, vote in found.items()}

    async def counts(self) -> Mapping[str, int]:
        return await self.app.journal.counts()

    def calls(self) -> int:
        return sum("<!subteam^S1>" in str(one) for one in self.slack.called("chat.postMessage"))

    # --- the app --------------------------------------------------------------------------------

    async def reindex(self) -> None:
        await self.app.library.indexer.run(IndexOptions())

    async def break_index(self) -> None:
        await self.app.library.index.aclose()

    # --- Slack ----------------------------------------------------------------------------------

    def _asking(
        self, person: str, text: str, place: Place, *, private: bool
    ) -> tuple[str, Payload]:
        if self._way == "command" or private:
            said = f"{escaped(text)} --private" if private else escaped(text)
            return "slash_commands", self._command("/query", person, said, place)
        inner = payloads.mention(escaped(text), USERS[person], CHANNELS[place])
        return "events_api", payloads.event(inner, TEAMS[place.tenant])

    def _command(self, name: str, person: str, text: str, place: Place) -> Payload:
        user, channel = USERS[person], CHANNELS[place]
        return payloads.command(
            name,
            text,
            user,
            channel,
            url=self.slack.response_url(user, channel),
            trigger=self.slack.trigger(),
            team=TEAMS[place.tenant],
        )

    async def _event(self, inner: Payload, place: Place) -> None:
        self._world.clock.advance(timedelta(milliseconds=1))
        await self._deliver("events_api", payloads.event(inner, TEAMS[place.tenant]))

    async def _deliver(self, kind: str, payload: Payload, *, deliveries: int = 1) -> None:
        for number in range(deliveries):
            await self.slack.hand_over(kind, payload, retry=number)

    async def _reply_to(self, place: Place, deed: Callable[[], Any]) -> Shown | None:
        before = {_ts(one) for one in self._standing_in(place)}
        noted = len(self.slack.ephemerals)
        await deed()
        await self.channel.tasks.idle()
        new = [one for one in self._standing_in(place) if _ts(one) not in before]
        return new[0] if new else self._note(place, noted)

    def _standing_in(self, place: Place) -> list[Shown]:
        groups: list[list[Payload]] = []
        for message in self.slack.messages[CHANNELS[place]].values():
            if begins(message):
                groups.append([message])
            else:
                next(g for g in reversed(groups) if _root(g[0]) == _root(message)).append(message)
        return [seen(group, handle=Standing(place, group)) for group in groups]

    def _note(self, place: Place, noted: int) -> Shown | None:
        new = self.slack.ephemerals[noted:]
        if not new:
            return None
        name = NAMES[new[0]["user"]]
        return seen(new, only_for=name, handle=Standing(place, new, only_for=name))


def _standing(shown: Shown) -> Standing:
    assert isinstance(shown.handle, Standing)
    return shown.handle


def _root(message: Payload) -> str:
    return str(message.get("thread_ts") or message["ts"])


def _ts(shown: Shown) -> str:
    return str(_standing(shown).messages[0]["ts"])


def _filled(kind: str, text: str) -> Payload:
    return {"selected_option": {"value": text}} if kind == "static_select" else {"value": text}
