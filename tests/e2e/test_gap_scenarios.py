from pathlib import Path

import pytest

from tests.e2e.discord_gaps import open_discord_gaps
from tests.e2e.gap_chat import GapOpener
from tests.e2e.gap_scenarios import SCENARIOS, Play
from tests.e2e.slack_gaps import open_slack_gaps
from tests.e2e.world import World

OPENERS: dict[str, GapOpener] = {"discord": open_discord_gaps, "slack": open_slack_gaps}


@pytest.mark.parametrize("platform", OPENERS)
@pytest.mark.parametrize("play", SCENARIOS, ids=lambda play: play.__name__)
async def test_in_a_chat(play: Play, platform: str, folder: Path, indexed_world: World) -> None:
    async with OPENERS[platform](World.at(folder, like=indexed_world)) as driver:
        await play(driver)
