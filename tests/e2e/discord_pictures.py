"""Pictures of the bot's replies on a phone, for the documentation: `python -m` this module.

It wants Chromium. What is drawn is a likeness of Discord, not Discord.
"""

import asyncio
import base64
import io
import itertools
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import aiohttp
from PIL import Image, ImageChops

from tests.e2e.discord_driver import DiscordDriver, open_discord
from tests.e2e.real_world import WEAK, RealWorld
from tests.e2e.scenarios import UNKNOWN
from tests.e2e.world import ANN, OPS

WIDTH, HEIGHT = 390, 844
BAR = 112
"""Pixels at the top that are the stand-in's own bar."""
TALL = 3000
"""Pixels from which on a picture makes do with fewer colours."""
PICTURES = Path(__file__).parents[2] / "docs" / "pictures"


async def main() -> None:
    """Draw every picture into docs/pictures."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.exit("Chromium is not installed.")
    for name, text, height in (
        ("answer", "free space: remove what is old on the disk", HEIGHT),
        ("weak", WEAK, 1000),
        ("refusal", UNKNOWN, HEIGHT),
        ("parts", "dns timeouts: check every resolver", 2600),
        ("reindex", "", HEIGHT),
    ):
        with tempfile.TemporaryDirectory() as folder:
            world = RealWorld.at(Path(folder))
            async with open_discord(world, answers="channel") as chat:
                await _draw(chat, name, text, height, chromium)


async def _draw(chat: DiscordDriver, name: str, text: str, height: int, chromium: str) -> None:
    viewer = chat.actor(ANN)
    if text:
        await chat.ask(ANN, text)
    else:
        chat.world.write("acme/new.md", "# Queue of the mailer\n\nRestart its consumer.\n")
        chat.world.write("acme/bad.md", "---\nvisibility: [\n---\n# Broken\n")
        viewer = chat.actor("root")
        await viewer.slash(chat.rooms[OPS.name], "reindex")
    room = chat.rooms[OPS.name]
    async with chat.env.preview(
        room, viewers=[viewer], layout="channel", width=WIDTH, height=height, timezone="UTC"
    ) as preview:
        picture = await drawn(chromium, preview.url, height)
        (PICTURES / f"discord-{name}.png").write_bytes(picture)


async def drawn(chromium: str, url: str, height: int) -> bytes:
    """Return a picture of a page on a phone."""
    with tempfile.TemporaryDirectory() as profile:
        browser = await asyncio.create_subprocess_exec(
            chromium,
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--remote-debugging-port=0",
            f"--user-data-dir={profile}",
            "about:blank",
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            assert browser.stderr is not None
            line = b""
            while b"listening on" not in line:
                line = await browser.stderr.readline()
            number = re.search(rb":(\d+)/", line)
            assert number is not None
            return await _captured(f"http://127.0.0.1:{number[1].decode()}/json", url, height)
        finally:
            browser.terminate()
            await browser.wait()


def smaller(picture: bytes) -> bytes:
    """Return a picture with few colours, cut below its last line: a file that a page can hold."""
    drawn = Image.open(io.BytesIO(picture)).convert("RGB")
    empty = Image.new("RGB", drawn.size, drawn.getpixel((drawn.width - 1, drawn.height - 1)))
    box = ImageChops.difference(drawn, empty).getbbox()
    bottom = min(drawn.height, (box[3] if box else drawn.height) + 12)
    found = io.BytesIO()
    cut = drawn.crop((0, 0, drawn.width, bottom))
    cut.quantize(16 if bottom > TALL else 64, dither=Image.Dither.NONE).save(
        found, "PNG", optimize=True
    )
    return found.getvalue()


async def _captured(pages: str, url: str, height: int) -> bytes:
    async with aiohttp.ClientSession() as session:
        async with session.get(pages) as answer:
            page = next(one for one in await answer.json() if one["type"] == "page")
        async with session.ws_connect(page["webSocketDebuggerUrl"], max_msg_size=0) as socket:
            numbers = itertools.count(1)

            async def do(method: str, **params: object) -> dict[str, Any]:
                number = next(numbers)
                await socket.send_json({"id": number, "method": method, "params": params})
                while True:
                    said: dict[str, Any] = await socket.receive_json()
                    if said.get("id") == number:
                        return dict(said["result"])

            size = {"width": WIDTH, "height": height, "deviceScaleFactor": 1, "mobile": True}
            await do("Emulation.setDeviceMetricsOverride", **size)
            await do("Page.navigate", url=url)
            await asyncio.sleep(4)
            clip = {"x": 0, "y": BAR, "width": WIDTH, "height": height - BAR, "scale": 1}
            picture = await do("Page.captureScreenshot", format="png", clip=clip)
            return smaller(base64.b64decode(picture["data"]))


if __name__ == "__main__":
    asyncio.run(main())
