from pathlib import Path

import pytest

from tests.e2e.discord_driver import open_discord
from tests.e2e.scenarios import SCENARIOS, Scenario
from tests.e2e.world import World


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
async def test_on_discord(scenario: Scenario, folder: Path, indexed_world: World) -> None:
    if scenario.trusted:
        world = World.at(folder, like=indexed_world)
    else:
        world = World.at(folder, trusted=False)
    async with open_discord(world) as driver:
        await scenario.play(driver)
