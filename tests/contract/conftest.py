"""What several contracts share: an index in each of its homes, and an export that is made once."""

import warnings
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from qdrant_client import AsyncQdrantClient

from core.engines.edge_index import EdgeIndex
from core.engines.server import ServerCalls
from core.engines.server_index import ServerIndex
from core.ports import VectorIndex
from core.settings_groups import QdrantSettings
from tests.fakes import FakeIndex
from tests.index_points import DIMENSION
from tests.qdrant_standin import QdrantStandin
from tests.waiting import PATIENT


@pytest.fixture(scope="session")
def exports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("exports")


@pytest.fixture(params=["fake", "edge", "memory", "server"])
async def index(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[VectorIndex]:
    async with AsyncExitStack() as stack:
        opened = await home(request.param, tmp_path / "index", stack)
        stack.push_async_callback(opened.aclose)
        yield opened


async def home(name: str, root: Path, stack: AsyncExitStack) -> VectorIndex:
    if name == "fake":
        return FakeIndex(DIMENSION)
    if name == "edge":
        return await EdgeIndex.open(root, DIMENSION)
    if name == "memory":
        stack.enter_context(warnings.catch_warnings())
        warnings.filterwarnings("ignore", "Payload indexes have no effect")
        calls = ServerCalls(AsyncQdrantClient(":memory:"), "http://memory", PATIENT)
        return await ServerIndex.open(root, DIMENSION, QdrantSettings(exact=True), calls)
    standin = await stack.enter_async_context(QdrantStandin())
    settings = QdrantSettings(url=standin.url, timeout=PATIENT, exact=True)
    return await ServerIndex.open(root, DIMENSION, settings)
