"""What a bot does for commands while it is doing something else."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bots.app import App
from bots.control import control_open
from bots.control_client import ControlClient, reached
from bots.control_verbs import verbs_of
from bots.desk import Desk
from bots.supervisor import Supervisor
from core.errors import BuildRefused, NightlampError
from core.models import Vector
from core.reports import IndexOptions
from core.wire import to_plain
from tests.e2e.world import World
from tests.fakes import ScriptedEmbedder

REBUILD = {"options": to_plain(IndexOptions(rebuild=True)), "sources": None}


class PatientEmbedder(ScriptedEmbedder):
    """Embeds passages only when it is let go on."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = asyncio.Event()
        self.go_on = asyncio.Event()

    async def embed_passages(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> list[Vector]:
        self.begun.set()
        await self.go_on.wait()
        return await super().embed_passages(texts, progress)


@asynccontextmanager
async def controlled(world: World) -> AsyncIterator[App]:
    async with world.open_app(world.settings()) as app:
        verbs = verbs_of(app, Supervisor((), app.clock))
        async with control_open(app.library.folder.control, verbs):
            yield app


@asynccontextmanager
async def client_of(app: App) -> AsyncIterator[ControlClient]:
    async with reached(app.library.folder) as client:
        assert client is not None
        yield client


@pytest.fixture
def embedder() -> PatientEmbedder:
    return PatientEmbedder()


@pytest.fixture
async def app(folder: Path, indexed_world: World, embedder: PatientEmbedder) -> AsyncIterator[App]:
    like = World.at(folder, like=indexed_world)
    world = World(like.folder, lambda: embedder, like.clock)
    async with controlled(world) as app:
        yield app


async def test_the_second_reindex_is_told_since_when_the_first_is_running(
    app: App, embedder: PatientEmbedder
) -> None:
    async with client_of(app) as first, client_of(app) as second:
        running = asyncio.create_task(first.call("index", REBUILD))
        await embedder.begun.wait()
        with pytest.raises(NightlampError, match="already, since 2030-01-07 09:00:00 UTC"):
            await second.call("index", REBUILD)
        assert (await second.call("status", {}))["indexing_since"] == "2030-01-07T09:00:00+00:00"
        embedder.go_on.set()
        assert (await running)["failed"] == []


async def test_a_refused_update_is_in_the_status_of_the_terminal_and_of_the_chats(
    indexed_world: World, folder: Path
) -> None:
    world = World.at(folder, like=indexed_world)
    settings = world.settings()
    async with world.open_app(settings) as app:
        app.library.lagging.note_update(BuildRefused("Much would be lost."), app.clock.now())
        verbs = verbs_of(app, Supervisor((), app.clock))
        told = await verbs["status"]({}, lambda name, value: None)
        assert told["unfinished"]["sentence"] == "Much would be lost."
        card = await Desk(app).status("acme", {"acme"})
        assert "nightlamp index --force" in str(card)


async def test_a_reindex_goes_on_when_its_command_is_gone(
    app: App, embedder: PatientEmbedder
) -> None:
    before = app.library.index.info
    async with client_of(app) as client:
        running = asyncio.create_task(client.call("index", REBUILD))
        await embedder.begun.wait()
        running.cancel()
        await asyncio.wait({running})
    embedder.go_on.set()
    await app.library.indexer.run(IndexOptions())
    assert app.library.index.info not in (None, before)


async def test_questions_are_answered_while_the_index_is_built(
    app: App, embedder: PatientEmbedder
) -> None:
    asked = {
        "text": "disk full", "tenant": "acme", "scope": {}, "top": 3, "as_json": True,
    }  # fmt: skip
    async with client_of(app) as first, client_of(app) as second:
        running = asyncio.create_task(first.call("index", REBUILD))
        await embedder.begun.wait()
        answer = await second.call("ask", {"asked": asked, "sources": None})
        assert answer["json"]["outcome"] == "answer"
        assert not running.done()
        embedder.go_on.set()
        await running


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [
        ("ask", {}),
        ("ask", {"asked": "disk full"}),
        ("ask", {"asked": {"text": 7, "tenant": None, "scope": {}, "top": 1, "as_json": False}}),
        ("index", {}),
        ("index", {"options": {"rebuild": "yes"}}),
    ],
)
async def test_arguments_of_another_kind_are_wrong_use(
    app: App, verb: str, arguments: dict[str, object]
) -> None:
    async with client_of(app) as client:
        with pytest.raises(NightlampError, match="does not understand") as error:
            await client.call(verb, arguments)
        assert error.value.exit_code == 2
