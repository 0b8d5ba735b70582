"""Exit 0 while the bot over this data folder answers on its socket: a container's health check.

A server or a model that is away is the bot's to say, in its answers and in `status`; it is no
reason to restart the bot.
"""

import asyncio
import sys
from pathlib import Path
from typing import Final

from bots.control_client import reached
from bots.output import note
from core.errors import NightlampError
from core.settings import read_settings
from corpus.data_folder import DataFolder

DEADLINE: Final = 10.0
"""Seconds that the bot may take: below the health check's own."""


async def answers(data: Path) -> bool:
    """Return whether a bot runs over a data folder.

    Raises:
        NightlampError: one does, and it says nothing within the deadline.
    """
    async with reached(DataFolder(data)) as bot:
        if bot is None:
            return False
        await bot.call("status", {}, deadline=DEADLINE)
        return True


def main() -> int:
    """Return the exit code: 0, or 1 with one sentence."""
    try:
        if asyncio.run(answers(read_settings().data)):
            return 0
        note("No bot answers over this data folder.")
    except NightlampError as error:
        note(str(error))
    return 1


if __name__ == "__main__":
    sys.exit(main())
