"""Pictures of a written answer below its section: `python -m` this module MODULES.

It wants what `gap_pictures` wants. The language model is one that says what it is told to.
"""

import asyncio
import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from tests.e2e.discord_driver import open_discord
from tests.e2e.discord_pictures import PICTURES, WIDTH, drawn
from tests.e2e.slack_driver import Standing, open_slack
from tests.e2e.slack_pictures import draw
from tests.e2e.test_written import GOOD, ROLL_BACK, quiet
from tests.e2e.world import ANN, OPS, World
from tests.scripted_llm import ScriptedLlm

HEIGHT = 1000


async def main(modules: Path) -> None:
    """Draw both into docs/pictures."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("Chromium is not installed.")
    async with ScriptedLlm().running() as server:
        server.answer = GOOD
        llm = {"base_url": server.base_url, "model": "a-small-model", "deadline": 5}
        with tempfile.TemporaryDirectory() as folder:
            async with open_discord(
                replace(World.at(Path(folder)), llm=llm), answers="channel"
            ) as chat:
                await chat.ask(ANN, ROLL_BACK)
                await quiet(chat)
                room, viewers = chat.rooms[OPS.name], [chat.actor(ANN)]
                async with chat.env.preview(
                    room,
                    viewers=viewers,
                    layout="channel",
                    width=WIDTH,
                    height=HEIGHT,
                    timezone="UTC",
                ) as preview:
                    picture = await drawn(chromium, preview.url, HEIGHT)
                    (PICTURES / "discord-written.png").write_bytes(picture)
        with tempfile.TemporaryDirectory() as folder:
            async with open_slack(replace(World.at(Path(folder)), llm=llm)) as slack:
                await slack.ask(ANN, ROLL_BACK)
                await quiet(slack)
                [shown] = await slack.messages(OPS)
                assert isinstance(shown.handle, Standing)
                await draw(modules, "written", shown.handle.messages, 1400)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]).resolve()))
