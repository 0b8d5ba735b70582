"""Draw every Slack card at the width of a phone: `python -m tests.e2e.slack_pictures MODULES`.

MODULES is a folder in which npm has put what `slack_pictures.mjs` names; Chromium is needed too.
"""

import asyncio
import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bots.card import ButtonKind
from tests.e2e.discord_pictures import smaller
from tests.e2e.real_world import WEAK, RealWorld
from tests.e2e.scenarios import UNKNOWN
from tests.e2e.slack_driver import SlackDriver, Standing, open_slack
from tests.e2e.slack_payloads import Payload
from tests.e2e.world import ANN

PICTURES = Path(__file__).parent.parent.parent / "docs" / "pictures"
SCRIPT = Path(__file__).parent / "slack_pictures.mjs"
WIDTH = 390
DESTRUCTIVE = "free space: remove what is old on the disk"
QUESTIONS = {
    "answer": (DESTRUCTIVE, 1000),
    "weak": (WEAK, 1000),
    "refusal": (UNKNOWN, 1100),
    "help": ("", 1000),
    "parts": ("dns timeouts: check every resolver", 9000),
}


async def main(modules: Path) -> None:
    """Draw the answers, what a human is called with, and the home tab."""
    for name, (text, height) in QUESTIONS.items():
        with tempfile.TemporaryDirectory() as folder:
            async with open_slack(RealWorld.at(Path(folder)), way="command") as chat:
                shown = await chat.ask(ANN, text)
                assert isinstance(shown.handle, Standing)
                await draw(modules, name, shown.handle.messages, height)
                if name == "refusal":
                    await chat.press(ANN, shown, ButtonKind.ASK_HUMAN)
                    await draw(modules, "call", _last(chat), 450)


def _last(chat: SlackDriver) -> list[Payload]:
    return [list(chat.slack.messages["C0OPS"].values())[-1]]


async def draw(modules: Path, name: str, messages: Sequence[Payload], height: int) -> None:
    """Draw messages, forms or a home tab into a file of this name."""
    conversation, page = modules / f"{name}.json", modules / f"{name}.html"
    conversation.write_text(json.dumps(list(messages)), encoding="utf-8")
    await _run("node", str(SCRIPT), conversation.name, page.name, folder=modules)
    chromium = shutil.which("chromium") or "chromium"
    picture = PICTURES / f"slack-{name}.png"
    size = f"--window-size={WIDTH},{height}"
    flags = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", size)
    await _run(chromium, *flags, f"--screenshot={picture}", page.as_uri(), folder=modules)
    picture.write_bytes(smaller(picture.read_bytes()))


async def _run(*command: str, folder: Path) -> None:
    silent = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(*command, cwd=folder, stderr=silent)
    if await process.wait():
        raise SystemExit(f"{command[0]} failed")


if __name__ == "__main__":
    PICTURES.mkdir(parents=True, exist_ok=True)
    asyncio.run(main(Path(sys.argv[1]).resolve()))
