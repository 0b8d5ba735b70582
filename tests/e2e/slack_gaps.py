"""Digests, gaps and being told on Slack, for the shared stories."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

from bots.card import GapAction, Tone
from bots.slack_bot.bot import Patience
from core.exchanges import MessageRef
from core.models import Platform
from tests.e2e.chat import Shown
from tests.e2e.fake_slack import FakeSlack
from tests.e2e.gap_chat import GapDriver, Handed
from tests.e2e.slack_driver import CHANNELS, PATIENCE, USERS, SlackDriver, Standing
from tests.e2e.slack_payloads import Payload
from tests.e2e.slack_screen import begins, decision, seen
from tests.e2e.world import OPS, Place, World


@asynccontextmanager
async def open_slack_gaps(
    world: World, *, patience: Patience = PATIENCE, **settings: Any
) -> AsyncIterator["SlackGaps"]:
    """Start a fake Slack, and the app on it with its digests."""
    async with FakeSlack().running() as slack:
        driver = SlackGaps(world, slack, "mention", patience, settings)
        await driver.start()
        try:
            yield driver
        finally:
            await driver.stop()
        assert slack.wrong == []


def _is_driver(driver: "SlackGaps") -> GapDriver:
    return driver


class SlackGaps(SlackDriver):
    """A GapDriver on Slack."""

    async def look(self) -> None:
        await self.loop.digests.look()
        await self.channel.tasks.idle()

    async def digest(self, place: Place = OPS) -> Shown:
        await self.loop.digests.post_now(place.tenant)
        await self.channel.tasks.idle()
        return (await self.said_in(place))[-1]

    async def said_in(self, place: Place = OPS) -> list[Shown]:
        return [await self._known(one) for one in self._standing_in(place)]

    async def decide(
        self, person: str, digest: Shown, gap_id: str, action: GapAction, section: str = ""
    ) -> Shown:
        self._world.clock.advance(timedelta(milliseconds=1))
        on = digest.handle
        assert isinstance(on, Standing)
        opened, noted = len(self.slack.views), len(self.slack.ephemerals)
        await self._press(person, on, decision(on.messages, gap_id, action))
        if len(self.slack.views) > opened:
            acknowledged = await self.submit(person, self.slack.views[-1], {"note": section})
            if errors := acknowledged.get("errors"):
                return _form_error(person, errors)
        said = self._note(on.place, noted)
        assert said is not None
        return said

    async def command(self, person: str, name: str, typed: str = "", place: Place = OPS) -> Handed:
        handed = len(self.slack.files)
        noted = len(self.slack.ephemerals)
        payload = self._command("/nightlamp", person, f"{name} {typed}".strip(), place)
        await self._deliver("slash_commands", payload)
        await self.channel.tasks.idle()
        said = self._note(place, noted)
        assert said is not None
        files = self.slack.files[handed:]
        assert {file["channel"] for file in files} <= {direct(person)}
        return Handed(said, files[0]["data"] if files else None)

    async def settle(self) -> None:
        self._world.clock.advance(timedelta(milliseconds=1))
        await self.loop.settle()
        await self.channel.tasks.idle()

    async def told(self, person: str, asked: Shown | None = None) -> list[Shown]:
        if asked is None:
            found = [self._directly(one) for one in self.slack.messages[direct(person)].values()]
            return [one for one in found if "answer now" in one.title]
        on = asked.handle
        assert isinstance(on, Standing)
        root = on.messages[0].get("thread_ts") or on.messages[0]["ts"]
        return [
            one
            for one in await self.said_in(on.place)
            if "answer now" in one.title
            and _messages(one)[0].get("thread_ts") == root
            and f"@{USERS[person]}" in one.pings
        ]

    # --- for tests of Slack alone ---------------------------------------------------------------

    async def _known(self, shown: Shown) -> Shown:
        """Return a reply with the exchange that its message carries."""
        first = _messages(shown)[0]
        channel = CHANNELS[_standing(shown).place]
        ref = MessageRef(Platform.SLACK, channel, first["ts"])
        exchange = await self.app.journal.exchange_of(ref)
        return replace(shown, exchange_id=exchange.id) if exchange else shown

    @staticmethod
    def _directly(message: Payload) -> Shown:
        assert begins(message)
        return seen([message], handle=Standing(OPS, [message]))


def direct(person: str) -> str:
    """Return somebody's direct channel with the bot."""
    return f"D{USERS[person][1:]}"


def _form_error(person: str, errors: Payload) -> Shown:
    (text,) = errors.values()
    return Shown(Tone.ERROR, "", text, text, only_for=person)


def _standing(shown: Shown) -> Standing:
    assert isinstance(shown.handle, Standing)
    return shown.handle


def _messages(shown: Shown) -> list[Payload]:
    return _standing(shown).messages
