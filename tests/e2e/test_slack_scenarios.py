from pathlib import Path

import pytest

from tests.e2e.scenarios import SCENARIOS, Scenario
from tests.e2e.slack_driver import open_slack
from tests.e2e.world import World


@pytest.mark.parametrize("way", ["mention", "command"])
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
async def test_on_slack(scenario: Scenario, way: str, folder: Path, indexed_world: World) -> None:
    if scenario.trusted:
        world = World.at(folder, like=indexed_world)
    else:
        world = World.at(folder, trusted=False)
    async with open_slack(world, way=way) as driver:
        await scenario.play(driver)
