"""Pictures of digests, gaps and being told, on both platforms: `python -m` this module MODULES.

MODULES is a folder in which npm has put what `slack_pictures.mjs` names; Chromium is needed too.
"""

import asyncio
import shutil
import sys
import tempfile
from datetime import timedelta
from pathlib import Path

from simcord.builders import ChannelHandle

from bots.card import ButtonKind, GapAction
from tests.e2e import slack_payloads as payloads
from tests.e2e.chat import Shown
from tests.e2e.discord_gaps import DiscordGaps, open_discord_gaps
from tests.e2e.discord_pictures import PICTURES, WIDTH, drawn
from tests.e2e.gap_chat import GapDriver
from tests.e2e.gap_scenarios import JAM, PRINTER
from tests.e2e.real_world import WEAK, RealWorld
from tests.e2e.slack_driver import USERS, Standing
from tests.e2e.slack_gaps import open_slack_gaps
from tests.e2e.slack_payloads import Payload
from tests.e2e.slack_pictures import draw
from tests.e2e.world import ANN, BEN, OPS, ROOT

ASKED = {
    ANN: (
        JAM,
        "disk full",
        "how do I get access to the vpn",
        WEAK,
    ),
    BEN: (
        "paper jam printer",
        "vpn access for a new colleague",
        "redis evicts keys: memory full",
        "disk full",
    ),
}
"""A week of questions: some answered, some not."""


async def a_week(chat: GapDriver) -> None:
    """Let two people ask for a week; one page is written on the way."""
    for person, questions in ASKED.items():
        for text in questions:
            await chat.ask(person, text)
            chat.world.clock.advance(timedelta(hours=7))
    chat.world.clock.advance(timedelta(days=4))


async def write(chat: GapDriver) -> None:
    """Write the page about the printer, have it indexed, and tell who asked."""
    chat.world.write("acme/printer.md", PRINTER)
    await chat.reindex()
    await chat.settle()


# --- Discord --------------------------------------------------------------------------------------


async def discord(chromium: str) -> None:
    """Draw what Discord shows."""
    with tempfile.TemporaryDirectory() as folder:
        async with open_discord_gaps(RealWorld.at(Path(folder))) as chat:
            await a_week(chat)
            digest = await chat.digest()
            room = chat.rooms[OPS.name]
            ann = chat.actor(ANN)
            message = room.history()[-1]
            await _discord_picture(chat, "digest", room, chromium, 1000)
            await ann.select(message, [digest.gaps[0]])
            await _discord_picture(chat, "gap", room, chromium, 620)
            await chat.command(ANN, "gaps")
            await _discord_picture(chat, "gaps", room, chromium, 900)
            asked = await chat.ask(ANN, JAM)
            await write(chat)
            thread = next(one for one in room.threads if one.id == asked.handle)
            await _discord_picture(chat, "told", thread, chromium, 900)


async def _discord_picture(
    chat: DiscordGaps, name: str, room: ChannelHandle, chromium: str, height: int
) -> None:
    viewer = chat.actor(ANN)
    async with chat.env.preview(
        room, viewers=[viewer], layout="channel", width=WIDTH, height=height, timezone="UTC"
    ) as preview:
        picture = await drawn(chromium, preview.url, height)
        (PICTURES / f"discord-{name}.png").write_bytes(picture)


# --- Slack ----------------------------------------------------------------------------------------


async def slack(modules: Path) -> None:
    """Draw what Slack shows."""
    with tempfile.TemporaryDirectory() as folder:
        async with open_slack_gaps(RealWorld.at(Path(folder))) as chat:
            await a_week(chat)
            digest = await chat.digest()
            await draw(modules, "digest", _messages(digest), 1600)
            listed = (await chat.command(ANN, "gaps")).shown
            await draw(modules, "gaps", _messages(listed), 1600)
            await chat.decide(ANN, digest, digest.gaps[0], GapAction.OWN)
            await draw(modules, "owned", _messages((await chat.said_in())[-1]), 600)
            await chat.decide(ROOT, digest, digest.gaps[0], GapAction.DONE, "nowhere.md")
            shown = await chat.ask(ANN, "disk full")
            await chat.press(ANN, shown, ButtonKind.TELL_WHY, kind="other", text="x")
            await draw(modules, "forms", chat.slack.views, 1200)
            asked = await chat.ask(ANN, JAM)
            await write(chat)
            [told] = await chat.told(ANN, asked)
            await draw(modules, "told", _messages(told), 900)
            home = payloads.event(
                {"type": "app_home_opened", "user": USERS[ANN], "channel": "D0ANN", "tab": "home"}
            )
            await chat.slack.hand_over("events_api", home)
            await chat.channel.tasks.idle()
            await draw(modules, "home", [chat.slack.homes[USERS[ANN]]], 2400)
            await chat.break_index()
            failed = await chat.ask(BEN, "disk full")
            await draw(modules, "error", _messages(failed), 600)


def _messages(shown: Shown) -> list[Payload]:
    assert isinstance(shown.handle, Standing)
    return shown.handle.messages


async def main(modules: Path) -> None:
    """Draw every picture into docs/pictures."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("Chromium is not installed.")
    await discord(chromium)
    await slack(modules)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]).resolve()))
